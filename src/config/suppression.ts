// Which findings a repository suppresses: one entry of `review.suppress`.
import { z } from "zod";
import { pathPattern, titlePattern } from "./suppression-pattern.ts";
import { PATTERN_LENGTH } from "./user-pattern.ts";

/** Text that `read` accepts; anything else is a problem of the file with its place. */
function readable(read: (source: string) => object | { readonly problem: string }) {
  return z
    .string()
    .min(1)
    .max(PATTERN_LENGTH, { abort: true })
    .superRefine((source, context) => {
      const pattern = read(source);
      if ("problem" in pattern) context.addIssue({ code: "custom", message: String(pattern.problem) });
    });
}

/** Findings that a repository suppresses. */
export const Suppression = z.strictObject({
  pattern: readable(titlePattern)
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
    .array(readable(pathPattern))
    .max(50)
    .default([])
    .describe("Only findings in files whose path matches one of these globs (any case). Empty: everywhere.")
    .meta({ examples: [["scripts/**"]] }),
});
export type Suppression = z.infer<typeof Suppression>;
