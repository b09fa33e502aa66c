// Which findings a repository suppresses: one entry of `review.suppress`.

import { z } from "zod";
import { checkedText, documented } from "./config-value.ts";
import { userPattern } from "./user-pattern.ts";

export const Suppression = z.strictObject({
  pattern: documented(
    checkedText(titlePattern),
    "glob:*is logged*",
    "Which findings, by their title: a part of it in any case; `glob:` and the whole title; `regex:` and a regular expression (RE2, any case).",
  ),
  severities: documented(
    z.array(z.enum(["major", "medium", "minor"])).default([]),
    ["minor"],
    "Only findings of these severities: `major`, `medium`, `minor`. Empty: all three.",
  ),
  categories: documented(
    z
      .array(z.enum(["correctness", "performance", "reliability", "maintainability", "tests", "docs", "style"]))
      .default([]),
    ["style", "maintainability"],
    "Only findings of these categories: `correctness`, `performance`, `reliability`, `maintainability`, `tests`, `docs`, `style`. Empty: all.",
  ),
  paths: documented(
    z.array(checkedText(pathPattern)).max(50).default([]),
    ["scripts/**"],
    "Only findings in files whose path matches one of these globs (any case). Empty: everywhere.",
  ),
});
export type Suppression = z.infer<typeof Suppression>;

// Patterns for the findings and paths that a repository wants to suppress. All of them run as RE2.

/** Longer titles and paths are matched by their beginning. */
const READ = 1_000;

interface SuppressionPattern {
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
