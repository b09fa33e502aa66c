// Which findings a repository suppresses: one entry of `review.suppress`.
import { z } from "zod";
import { checkedText, documented } from "./config-value.ts";
import { pathPattern, titlePattern } from "./suppression-pattern.ts";

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
