// What is wrong with a lesson: one imperative sentence that is true elsewhere too.
import type { FieldProblem } from "./situation-problems.ts";

/** Asked for: at most 160 characters. */
export const LESSON_CHARS = { least: 20, most: 220 } as const;

/** How an imperative sentence begins: a verb in its base form, or always, never, do not. */
const CUES = new Set(
  (
    "abort accept acquire add adjust align allocate allow always annotate anchor append apply ask assert assign attach authenticate " +
    "authorize avoid await back base batch begin bind block bound break bring bubble build bump cache calculate call cancel capture " +
    "cap cast catch centralize change check choose clamp clean clear clone close coalesce collapse collect combine commit compare " +
    "compute configure confirm consolidate construct consume continue convert copy count cover create cut debounce declare decode " +
    "decouple deduplicate defer define delegate delete derive describe deserialize design destroy detach detect disable discard " +
    "dispose distinguish do document don't drop elide embed emit enable encapsulate encode encrypt enforce ensure escape establish " +
    "evaluate exclude execute exit expand expect explain explicitly expose express extend extract factor fail fall favor favour fetch " +
    "filter find finish fix flag flatten flush follow forbid force format forward free gate generate get give group guard handle " +
    "hash hide hoist hold identify ignore implement import include increase index inform inherit initialise initialize inject inline " +
    "insert inspect install instrument invalidate invoke isolate iterate join keep key kill label lay lazily leave let lift limit link " +
    "list listen load localise localize lock log look loop lower maintain make map mark mask match measure memoize merge minimise " +
    "minimize mirror mock model monitor move mutate name narrow negate nest never normalise normalize note notify null obtain offload omit only " +
    "open opt order override pack pad paginate parameterise parameterize parse pass perform persist pin place plan point poll pop populate " +
    "postpone prefer prefix prepare preserve prevent print process propagate protect prove provide publish purge push put qualify " +
    "query quote raise rate read rebuild record recover redact reduce refactor refer refresh refuse register reject release rely " +
    "remove rename render reorder repeat replace report require requires reserve reset resolve respect respond restore restrict retain " +
    "rethrow retry return reuse revert review revoke rewrite roll rotate round route run sanitise sanitize save scan schedule scope search " +
    "secure seed select send separate serialise serialize serve set share shield short-circuit show sign simplify skip sort specify split " +
    "stage standardise standardize start state stick stop store stream strip structure subscribe supply support surface suppress " +
    "swap switch synchronise synchronize tag take tell terminate test thread throttle throw tidy tie time track transform translate " +
    "treat trim truncate trust try turn type unify unregister unsubscribe unwrap update upgrade use validate verify version wait warn " +
    "watch weigh wire work wrap write yield zero"
  ).split(" "),
);

/** A sentence ends here and another begins; `e.g.`, `vs.` and a version such as 1.2 end none. */
const ANOTHER = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?]["')\]]?\s+\S/i;

/**
 * @param text on one line
 * @returns `too-short`, `too-long`, `no-cue-word`, `several-sentences`: each at most once, in this order; [] for a good one
 */
export function lessonProblems(text: string): readonly FieldProblem[] {
  const { least, most } = LESSON_CHARS;
  const first = /^["'(]?([\p{L}'’-]{1,40})/u.exec(text)?.[1]?.toLowerCase().replaceAll("’", "'") ?? "";
  const problems: (FieldProblem | false)[] = [
    text.length < least && { name: "too-short", told: `${text.length} characters, and ${least} are the least` },
    text.length > most && { name: "too-long", told: `${text.length} characters, and ${most} are the most` },
    !CUES.has(first) && {
      name: "no-cue-word",
      told: "it does not begin with what to do: Check, Close, Never, Do not …",
    },
    ANOTHER.test(text) && { name: "several-sentences", told: "it is more than one sentence" },
  ];
  return problems.filter((problem) => problem !== false);
}
