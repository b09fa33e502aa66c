// Globs for paths, matched without a regular expression: both the glob and the path may be made to be slow.
import { braceAlternatives } from "./brace-alternatives.ts";
import { segmentMatcher } from "./segment-matcher.ts";

export interface PathGlob {
  /** Takes time in proportion to glob × path at the very worst, and to the path as people write globs. Never throws. */
  readonly matches: (path: string) => boolean;
}

/** `@(a|b)`, `!(a)`: other tools read them as a language of their own. */
const EXTENDED = /[@!+*?]\([^()]*\)/;

/**
 * Reads a glob: `*` any text without a slash, `**` any folders, `?` one character, `[a-z]` and `[!a-z]` one of or none of,
 * `{a,b}` either, `\` takes the meaning from what follows. Everything else, parentheses included, stands for itself, and
 * case matters.
 *
 * @param glob without a leading `!`; of the configuration, at most 500 characters
 * @param anyFolder a glob without a slash matches the name of a file in whatever folder
 * @returns the glob, or what is wrong with it in one sentence fragment; never throws
 */
export function pathGlob(
  glob: string,
  { anyFolder = false }: { readonly anyFolder?: boolean } = {},
): PathGlob | { readonly problem: string } {
  if (EXTENDED.test(glob)) return { problem: "uses an extended glob such as `@(a|b)`; write `{a,b}` instead" };
  const alternatives = braceAlternatives(glob);
  if (alternatives === null) return { problem: "has too many alternatives in braces" };
  const isName = anyFolder && !glob.includes("/");
  const each = alternatives.map(alternativeMatcher);
  return {
    matches: (path) => {
      const segments = isName ? [path.slice(path.lastIndexOf("/") + 1)] : path.split("/");
      return each.some((matches) => matches(segments));
    },
  };
}

type Segments = (segments: readonly string[]) => boolean;

/** The steps of a glob: null for any folders, else what one segment must be. */
type Step = ((segment: string) => boolean) | null;

function alternativeMatcher(glob: string): Segments {
  const steps = glob.replace(/^\.\//, "").split("/").flatMap(stepsOf);
  return (segments) => walks(steps, segments);
}

/** `**.ts` at the front means a name in any folder, as everybody who writes it expects. */
function stepsOf(segment: string, index: number): Step[] {
  if (/^\*{2,}$/.test(segment)) return [null];
  return index === 0 && segment.startsWith("**") ? [null, segmentMatcher(segment.slice(1))] : [segmentMatcher(segment)];
}

/** As with one star and letters: it is enough to come back to the last `**`, since earlier ones could give no more. */
function walks(steps: readonly Step[], segments: readonly string[]): boolean {
  let [step, at] = [0, 0];
  let [back, from] = [-1, 0];
  while (at < segments.length) {
    const wanted = steps[step];
    if (wanted === null) {
      [back, from] = [step, at];
      step += 1;
    } else if (wanted?.(segments[at] ?? "") === true) {
      step += 1;
      at += 1;
    } else if (back >= 0) {
      from += 1;
      [step, at] = [back + 1, from];
    } else return false;
  }
  return steps.slice(step).every((rest) => rest === null);
}
