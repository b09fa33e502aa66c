// The reply of a model that describes a memory: its schema, its rules, and what is kept of it.

import { z } from "zod";
import type { ReplyShape } from "../../domain/model.ts";
import { counted } from "../../domain/text/counted.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";

/** Longer texts are no fields; the rules are not applied to them. */
const field = z.string().max(5_000).nullable();

const word = z.string().max(200).nullable();

const Draft = z.object({
  status: z.enum(["memory", "rejected"]),
  reason: word,
  situation: field,
  lesson: field,
  // Unreadable tags cost only the tags.
  tags: z.unknown(),
  confidence: word,
});
/** As the model wrote it: of the right form, and not yet checked against the rules. */
type Draft = z.infer<typeof Draft>;

const text = { type: "string" } as const;
const textOrNull = { anyOf: [text, { type: "null" }] } as const;
const PROPERTIES = {
  status: { type: "string", enum: ["memory", "rejected"] },
  reason: textOrNull,
  situation: textOrNull,
  lesson: textOrNull,
  tags: { type: "array", items: text },
  confidence: { type: "string", enum: ["high", "medium", "low"] },
} as const;
const JSON_SCHEMA = {
  type: "object",
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
} as const;

/** The reasons why a comment is no memory, as the instructions list them. */
const REASONS: ReadonlySet<string> = new Set(["declined", "withdrawn", "question", "chat", "unclear"]);

/** The value of each word; anything else is .5. */
const CONFIDENCE: ReadonlyMap<string, number> = new Map([
  ["high", 1],
  ["medium", 0.7],
  ["low", 0.4],
]);

/** The part of a reply that is kept. */
export interface TakenFields {
  readonly situation: string | null;
  readonly lesson: string | null;
  readonly tags: readonly string[];
  readonly confidence: number;
  /** `FIELD/RULE`, or `rejected/REASON`. */
  readonly problems: readonly string[];
}

/**
 * A shape that checks a reply against every rule, so that the model is asked once to fix the named
 * violations. `takeFields` decides about the remaining ones. `last` is the newest draft of the
 * right form, with its violations.
 */
export function describeReply(): { readonly shape: ReplyShape<Draft>; readonly last: () => Draft | null } {
  let last: Draft | null = null;
  const check: ReplyShape<Draft>["check"] = (value) => {
    const parsed = Draft.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const problem = `${issue?.path.join(".") || "the reply"}: ${issue?.message ?? "is not as asked"}`;
      return { ok: false, problem };
    }
    last = parsed.data;
    const problems = draftProblems(last);
    if (problems.length === 0) return { ok: true, value: last };
    return { ok: false, problem: problems.map(({ name, message }) => `${name} (${message})`).join("; ") };
  };
  return { last: () => last, shape: { name: "memory", jsonSchema: JSON_SCHEMA, check } };
}

/** What is kept of a draft: situation and lesson, since one alone matches half; or tags. */
export function takeFields(draft: Draft): TakenFields {
  const confidence = CONFIDENCE.get(draft.confidence?.trim().toLowerCase() ?? "") ?? 0.5;
  const problems = draftProblems(draft).map(({ name }) => name);
  const nothing = { situation: null, lesson: null, tags: [], confidence };
  if (draft.status === "rejected") {
    const reason = draft.reason?.trim().toLowerCase() ?? "";
    return { ...nothing, problems: [`rejected/${REASONS.has(reason) ? reason : "unclear"}`] };
  }
  if (problems.some((name) => !name.startsWith("tags/"))) return { ...nothing, problems };
  const { situation, lesson } = lines(draft);
  return { situation, lesson, tags: readTags(draft.tags).tags, confidence, problems };
}

/** `FIELD/RULE` of each broken rule; none for a rejection, which has nothing to check. */
function draftProblems(draft: Draft): readonly FieldProblem[] {
  if (draft.status === "rejected") return [];
  const { situation, lesson } = lines(draft);
  const problems = {
    situation: situationProblems(situation),
    lesson: lessonProblems(lesson),
    tags: readTags(draft.tags).problems,
  };
  return Object.entries(problems).flatMap(([of, found]) =>
    found.map(({ name, message }) => ({ name: `${of}/${name}`, message })),
  );
}

function lines({ situation, lesson }: Draft): { readonly situation: string; readonly lesson: string } {
  return { situation: oneLine(situation ?? "").toWellFormed(), lesson: oneLine(lesson ?? "").toWellFormed() };
}

// Rules for a situation: a sentence or two on what the code does and what is missing, phrased so
// that it applies to other code as well.

/** A rule that a text breaks: its stable name, which is stored, and a message for the model. */
interface FieldProblem {
  readonly name: string;
  readonly message: string;
}

/** The rules that are broken, in their order. */
function brokenRules(
  rules: readonly (readonly [isBroken: boolean, name: string, message: string])[],
): readonly FieldProblem[] {
  return rules.flatMap(([isBroken, name, message]) => (isBroken ? { name, message } : []));
}

/** The instructions ask for 25–60 words; slightly more or less is accepted. */
const SITUATION_WORDS = { least: 20, most: 70 } as const;

/**
 * @param text on one line
 * @returns `too-short`, `too-long`, `advice-words`, `missing-structure`, `missing-pattern`,
 * `missing-gap`, `identifier`: each
 *   at most once, in this order; [] for a good one
 */
export function situationProblems(text: string): readonly FieldProblem[] {
  const { least, most } = SITUATION_WORDS;
  const count = text.match(/\S+/g)?.length ?? 0;
  const all = new Set((text.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? []).map((word) => word.replaceAll("’", "'")));
  const forms = [...all].flatMap(baseForms);
  const names = (known: ReadonlySet<string>) => forms.some((form) => known.has(form));
  const advice = [...[...all].filter((word) => ADVICE.has(word)), ...(ADVICE_PHRASE.exec(text) ?? [])];
  const identifier = findIdentifier(text);
  return brokenRules([
    [count < least, "too-short", `${counted(count, "word")}, and ${least} are the least`],
    [count > most, "too-long", `${count} words, and ${most} are the most`],
    [advice.length > 0, "advice-words", `it gives advice: ${advice.slice(0, 5).join(", ").toLowerCase()}`],
    [!names(STRUCTURE), "missing-structure", "no word says what of the code it is about"],
    [!names(PATTERN), "missing-pattern", "no word says what the code does"],
    [
      !names(GAP) && ![...all].some((word) => NEGATED.test(word)),
      "missing-gap",
      "no word says what is missing, wrong or assumed",
    ],
    [identifier !== null, "identifier", `it names something of this code: ${identifier}`],
  ]);
}

/** The instructions ask for at most 160 characters. */
const LESSON_CHARS = { least: 20, most: 220 } as const;

/**
 * First words of an imperative sentence, besides those of PATTERN: verbs, always, never, do not.
 */
const CUES = words(`
  abort adjust always anchor annotate ask avoid back base bound break bring bubble cap centralize choose coalesce
  confirm consolidate continue cover cut debounce decouple defer design disable dispose distinguish do don't elide
  encapsulate ensure establish exclude exit explain explicitly express factor favor favour fix flag forbid gate give
  hoist ignore increase inform inline inspect install instrument isolate key kill label lay lazily leave let lift
  localise localize lower maintain minimise minimize mirror model narrow never note null obtain offload omit only opt
  pad parameterise parameterize perform place plan point postpone prefer preserve prevent protect prove qualify quote
  rate recover redact refactor refer refuse reorder require requires reserve respect restrict rethrow review revoke roll
  sanitise scope secure serialise shield short-circuit simplify specify stage standardise standardize state stick
  structure supply support surface synchronise tell terminate thread throttle tidy tie time treat try turn unify
  unregister unsubscribe version warn weigh wire work zero`);

/** The end of a sentence before another; `e.g.`, `vs.` and a version such as 1.2 end none. */
const ANOTHER = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?]["')\]]?\s+\S/i;

/**
 * @param text on one line
 * @returns `too-short`, `too-long`, `no-cue-word`, `several-sentences`: each at most once, in this
 * order; [] for a good one
 */
export function lessonProblems(text: string): readonly FieldProblem[] {
  const { least, most } = LESSON_CHARS;
  const first = /^["'(]?([\p{L}'’-]{1,40})/u.exec(text)?.[1]?.toLowerCase().replaceAll("’", "'") ?? "";
  return brokenRules([
    [text.length < least, "too-short", `${counted(text.length, "character")}, and ${least} are the least`],
    [text.length > most, "too-long", `${text.length} characters, and ${most} are the most`],
    [
      !CUES.has(first) && !PATTERN.has(first),
      "no-cue-word",
      "it does not begin with what to do: Check, Close, Never, Do not …",
    ],
    [ANOTHER.test(text), "several-sentences", "it is more than one sentence"],
  ]);
}

const TAGS = { least: 3, most: 5 } as const;
const WORDS = { least: 2, most: 4 } as const;
/** Four long words. */
const MAX_CHARS = 80;
/** A longer list is no list of tags. */
const MAX_READ = 50;

/**
 * @param value a JSON array of texts, or a text that holds one; anything else is `not-a-list`.
 * Never throws
 * @returns the tags in lower case, each once; [] with every rule they break: `not-a-list`,
 * `too-few`, `too-many`,
 *   `words-of-a-tag`
 */
export function readTags(value: unknown): {
  readonly tags: readonly string[];
  readonly problems: readonly FieldProblem[];
} {
  const list = listOf(value);
  if (list === null)
    return { tags: [], problems: [{ name: "not-a-list", message: "the tags are no JSON array of texts" }] };
  const tags = [...new Set(list.map((tag) => oneLine(tag).toLowerCase()).filter((tag) => tag !== ""))];
  const { least, most } = WORDS;
  const odd = tags.find((tag) => {
    const count = tag.split(" ").length;
    return tag.length > MAX_CHARS || count < least || count > most;
  });
  const broken = brokenRules([
    [tags.length < TAGS.least, "too-few", `${counted(tags.length, "different tag")}, and ${TAGS.least} are the least`],
    [tags.length > TAGS.most, "too-many", `${tags.length} tags, and ${TAGS.most} are the most`],
    [
      odd !== undefined,
      "words-of-a-tag",
      `each tag has ${least} to ${most} words, and this one has not: ${cutText(odd ?? "", MAX_CHARS)}`,
    ],
  ]);
  return { tags: broken.length > 0 ? [] : tags, problems: broken };
}

function listOf(value: unknown): readonly string[] | null {
  const list = typeof value === "string" ? parsed(value) : value;
  if (!Array.isArray(list) || list.length > MAX_READ) return null;
  return list.every((tag) => typeof tag === "string" && tag.length <= 1_000) ? list : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// Finds names that exist in one code base only, in text meant for others.

/** Names of languages, products and formats that look like identifiers but are generally known. */
const WELL_KNOWN = new Set(
  (
    "javascript typescript coffeescript actionscript github gitlab bitbucket postgresql mysql sqlite mongodb dynamodb influxdb " +
    "mariadb graphql openapi oauth openid webassembly websocket websockets webhook webhooks webgl webrtc xmlhttprequest jquery " +
    "nodejs node.js vue.js next.js nuxt.js react.js express.js three.js d3.js asp.net ios ipados macos watchos tvos ebpf grpc " +
    "numpy pytorch tensorflow scikit openssl openssh libssl freebsd openbsd netbsd powershell stackoverflow youtube linkedin " +
    "kotlin rabbitmq activemq redis clickhouse bigquery snowflake databricks junit nunit xunit pytest rspec opentelemetry " +
    "eslint fastapi latex jupyter vscode intellij xcode cmake gradle opengl directx ipv4 ipv6 utf8 utf16 sha1 sha256 md5 base64 " +
    "http2 http3 tls1 oauth2 es6 es5 c99 i18n l10n k8s s3 ec2 x86 x64 arm64 int32 int64 float32 float64 uint8 e.g i.e vs etc"
  ).split(" "),
);

/** Longer runs are data. */
const LONGEST = 200;

const SHAPES: readonly RegExp[] = [
  // getUserId, parseURL
  /^\p{Ll}+\p{Lu}/u,
  // UserService, HTTPClient
  /^\p{Lu}\p{L}*\p{Ll}\p{Lu}\p{L}/u,
  // user_id, MAX_RETRIES, __init__
  /[\p{L}\p{N}]_[\p{L}\p{N}]|^_+\p{L}/u,
  // user.name, std::move, a->b, $total, @Inject, #private
  /\p{L}\.\p{L}|::|->|^[$@#]\p{L}/u,
  // call(), list[0], <T>
  /\(\)|\[\w*\]|<\/?\p{L}+\/?>/u,
  // src/db/pool, ../x, C:\x
  /\/[^/]+\/|^\.{0,2}\/\p{L}|\p{L}:\\/u,
  // item2, v3beta1
  /^\p{L}+\p{N}+(?:\p{L}|$)/u,
];

/**
 * The first word of a text that looks like an identifier: camelCase, snake_case, a call, a path, a
 * member, or text between backticks.
 *
 * @param text any text; linear in its length
 * @returns the word, at most 60 characters; null without one
 */
export function findIdentifier(text: string): string | null {
  const quoted = /`[^`\n]{1,200}`/.exec(text);
  if (quoted !== null) return cutText(quoted[0], 60);
  for (const [run] of text.matchAll(/\S+/g)) {
    if (run.length > LONGEST) return cutText(run, 60);
    const word = run
      .replace(/^["'“”‘’([{]+|(?<!["'“”‘’.,;:!?…])["'“”‘’.,;:!?…]+$/g, "")
      .replace(/(?<![([])[)\]}]+$/, "");
    const parts = word.split(/[-–—](?!>)/);
    if (parts.some((part) => !isWellKnown(part) && SHAPES.some((shape) => shape.test(part)))) return cutText(word, 60);
  }
  return null;
}

function isWellKnown(word: string): boolean {
  return WELL_KNOWN.has(word.toLowerCase().replace(/(?:'s|s)$/, "")) || WELL_KNOWN.has(word.toLowerCase());
}

// The words that mark a structure, a pattern and a gap in a situation, and those that give advice
// instead. Lists of base forms; inflected forms are traced back to them.

const STRUCTURE = words(`
  abstraction accessor action adapter aggregate alias allocation annotation api app application argument array aspect assertion
  assignment attribute backend barrier batch binary binding block boolean boundary branch buffer build bundle button byte cache call
  callback catch certificate channel character check checkpoint class clause cleanup client closure cluster code coroutine
  collection column command comment commit comparison component composable condition conditional config configuration connection
  constant constraint constructor container context contract controller converter cookie copy counter credential cursor dashboard
  data database date deadline declaration decorator default definition delegate dependency descriptor destructor diagram dialog
  dictionary directive directory docstring document documentation element endpoint entity entry enum enumeration environment error
  event exception executor export expression extension factory fallback feature field file filter finalizer fixture flag folder
  form formatter formula frame framework frontend function future gateway generator generic getter global goroutine group guard
  guide handle handler hash header heap helper hook host icon identifier image implementation import index inheritance
  initializer input instance integer integration interceptor interface iteration iterator job json key keyword label lambda layer
  layout library limit line link list listener literal loader lock log logger loop macro manager manifest map mapper mapping
  markup matcher member memory menu message metadata metric method middleware migration mixin mock model modal module monitor mutex
  name namespace node notebook notification number object observer operation operator option order output overload override package
  page panel parameter parser partition password path payload permission pipeline plugin pointer policy pool port process procedure
  producer profile program project promise prompt property protocol provider proxy query queue range reader readme record
  reducer reference regex registry release renderer replica report repository request resolver resource response result return
  role rollback root route router routine row rule runner runtime sample scheduler schema scope screen script section secret
  segment selector semaphore sentence sequence serializer series server service session set setter setting setup shader shell
  signal signature singleton size slice slot snapshot socket source spec specification stack stage state statement status step
  storage store stream string struct structure style stylesheet subclass subscription subscriber suite superclass switch symbol
  syntax table tag target task teardown template tensor test text thread threshold throttle timeout timer timestamp title token
  trait transaction transformer transition translation tree trigger try tuple type union unit update upload url user utility
  validator value variable variant vector version view volume web widget window worker workflow wrapper writer yaml`);

const PATTERN = words(`
  accept access accumulate acquire add advance aggregate align allocate allow append apply assert assign attach authenticate
  authorize await batch begin bind block branch broadcast build buffer bump bypass cache calculate call cancel capture cast catch
  change check claim clamp clean clear clone close coerce collapse collect combine commit compare compile compose compress compute
  concatenate configure connect construct consume contain convert copy count create decide declare decode decrement decrypt
  deduplicate default define delegate delete deploy depend derive describe deserialize destroy detach detect discard dispatch
  display divide document download drop duplicate embed emit enable encode encrypt enforce escape evaluate execute expand expect
  expire expose extend extract fail fall fetch fill filter find finish flatten flush fold follow force fork format forward free
  generate get grant group grow guard hand handle hardcode hard-code hash hide hold identify implement import include increment
  index infer inherit init initialize initialise inject insert instantiate interpolate invalidate invoke iterate join keep launch
  limit link list listen load lock log look loop make map mark mask match measure memoize merge migrate mock modify monitor mount
  move multiply mutate name navigate negate nest normalize normalise notify observe offset open order overlap overload override
  overwrite own pack paginate parse pass patch persist pick pin poll pop populate post prefix prepare print process produce
  promote propagate provide publish pull purge push put query queue raise randomize read rebuild receive record recompute recurse
  redirect reduce reference refresh register reject release rely remove rename render repeat replace replicate report represent
  request reset resize resolve respond restart restore resume retain retry return reuse revert rewrite rotate round route run
  sanitize save scale scan schedule scroll search seed select send separate serialize serve set share shift show shrink sign
  simulate skip sleep slice sort spawn split spread stack start stop store stream stringify strip style subscribe substitute
  subtract suppress swallow swap switch synchronize tag take test throw toggle track transfer transform translate traverse trigger
  trim truncate trust type unlock unmount unpack unwrap update upgrade upload use validate verify visit wait walk watch wrap write
  yield`);

/** What is missing, or not as assumed. */
const GAP = words(`
  absent although ambiguous assume assumption before bug but broken bypass collide conflict confuse contradict corrupt crash
  dead deadlock despite differ different diverge drift drop duplicate early empty even exceed exhaust expose fail failure forget
  forgotten hang hidden however ignore impossible incomplete inconsistent incorrect inefficient insecure invalid lack late leak
  leave less limit lose lost mask mismatch misleading misplace miss missing misspell misuse mutable neither never no none nor not
  nothing nobody null obsolete omit only orphan outdate overflow overlook overwrite partial presume race raw redundant regardless
  remain repeat risk shadow silent silently skip slow stale starve still suppress swallow though too truncate twice typo
  unaware unbounded unclear undefined unless unnecessary unknown unrelated unsafe unsound until untrusted unusual vague vulnerable
  weak without wrong yet zero cannot`);

/** Advice, in exactly these forms: a fixed delay is no fix, and what is not ensured is a gap. */
const ADVICE = words(`
  advisable advise advised advice avoid better consider considering ensure fix fixes fixing instruct let's lets must ought please
  prefer preferable preferably preferred recommend recommended recommends recommendation remedy shall should shouldn't solution
  suggest suggested suggests suggestion workaround`);
const ADVICE_PHRASE =
  /\b(?:(?:need|needs|has|have) to|make sure|would be (?:better|best|safer|cleaner)|use instead|it is best)\b/i;
/** `uncaught`, `unvalidated`, `nonexistent`: the word itself names the gap. */
const NEGATED = /^(?:un\p{L}{3,}(?:ed|en|able|ible|ught|nt)|non-?\p{L}{4,}|\p{L}+n['’]t|\p{L}{2,}less)$/u;

/** Longer words are no English. */
const LONGEST_ENGLISH = 40;

/** The word, and its possible base forms: `copies` gives copy, `stopped` stop, `caching` cache. */
function baseForms(word: string): readonly string[] {
  if (word.length > LONGEST_ENGLISH) return [];
  const forms = [word];
  const cut = (ending: string, ...instead: readonly string[]) => {
    if (!word.endsWith(ending) || word.length < ending.length + 2) return;
    const stem = word.slice(0, -ending.length);
    forms.push(...instead.map((end) => stem + end));
    // A doubled consonant belongs to the ending: stopped, setting.
    if (/([^aeiou])\1$/.test(stem)) forms.push(stem.slice(0, -1));
  };
  cut("s", "");
  cut("es", "");
  cut("ies", "y");
  cut("ied", "y");
  cut("ed", "", "e");
  cut("ing", "", "e");
  cut("'s", "");
  return forms;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
