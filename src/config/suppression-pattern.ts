// Patterns for the findings and paths that a repository wants to suppress. All of them run as RE2.
import { userPattern } from "./user-pattern.ts";

/** Longer titles and paths are matched by their beginning. */
const READ = 1_000;

export interface SuppressionPattern {
  /** Never throws. */
  readonly matches: (text: string) => boolean;
}

/**
 * A pattern for titles: part of the title in any case; `glob:…` the whole title; `regex:…` anywhere in the title.
 *
 * @returns the pattern, or what is wrong with it in one sentence fragment; never throws
 */
export function titlePattern(source: string): SuppressionPattern | { readonly problem: string } {
  if (source.startsWith("regex:")) return reading(userPattern(source.slice("regex:".length)));
  if (source.startsWith("glob:")) return glob(source.slice("glob:".length), ".*");
  const words = source.trim().toLowerCase();
  if (words === "") return { problem: "is empty" };
  return { matches: (title) => title.slice(0, READ).toLowerCase().includes(words) };
}

/** A glob for paths, in any case: `**` any folders, `*` any text without a slash, `?` one character. */
export function pathPattern(source: string): SuppressionPattern | { readonly problem: string } {
  return glob(source, "[^/]*");
}

/** @param star the regular expression for `*` */
function glob(source: string, star: string): SuppressionPattern | { readonly problem: string } {
  if (source.trim() === "") return { problem: "is empty" };
  // RE2 runs it in linear time however many stars there are.
  const regex = source.replace(/\*\*\/|\*+|[^*]/gs, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part.startsWith("*")) return part === "*" ? star : ".*";
    return part === "?" ? "." : part.replace(/[\\^$.|?+()[\]{}]/, "\\$&");
  });
  const compiled = userPattern(`^${regex}$`);
  return "problem" in compiled ? { problem: "is too long or too complicated for a glob" } : reading(compiled);
}

function reading(pattern: ReturnType<typeof userPattern>): SuppressionPattern | { readonly problem: string } {
  if ("problem" in pattern) return pattern;
  return { matches: (text) => pattern.matches(text.slice(0, READ)) };
}
