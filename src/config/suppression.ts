// Which findings a repository suppresses: one entry of `review.suppress`.
import { z } from "zod";
import { checkedText } from "./config-value.ts";
import { pathPattern, titlePattern } from "./suppression-pattern.ts";

export const Suppression = z.strictObject({
  pattern: checkedText(titlePattern)
    .describe(
      "Which findings, by their title: a part of it in any case; `glob:` and the whole title; `regex:` and a regular expression (RE2, any case).",
    )
    .meta({ examples: ["glob:*is logged*"] }),
  severities: z
    .array(z.enum(["major", "medium", "minor"]))
    .default([])
    .describe("Only findings of these severities: `major`, `medium`, `minor`. Empty: all three.")
    .meta({ examples: [["minor"]] }),
  categories: z
    .array(z.enum(["correctness", "performance", "reliability", "maintainability", "tests", "docs", "style"]))
    .default([])
    .describe(
      "Only findings of these categories: `correctness`, `performance`, `reliability`, `maintainability`, `tests`, `docs`, `style`. Empty: all.",
    )
    .meta({ examples: [["style", "maintainability"]] }),
  paths: z
    .array(checkedText(pathPattern))
    .max(50)
    .default([])
    .describe("Only findings in files whose path matches one of these globs (any case). Empty: everywhere.")
    .meta({ examples: [["scripts/**"]] }),
});
export type Suppression = z.infer<typeof Suppression>;
