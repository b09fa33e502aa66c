// An entry of `pathInstructions` in .kodiai.yml.
import { z } from "zod";
import { documented, Glob } from "./config-value.ts";

/** Instructions for the reviewer about some of the repository's paths. */
export const PathInstruction = z.strictObject({
  path: documented(
    z.union([Glob, z.array(Glob).min(1).max(50)]),
    "src/api/**",
    "Which files: a glob, or a list of globs; those that begin with `!` exclude files, and a glob without a slash matches a name in any folder.",
  ),
  instructions: documented(
    z.string().min(1).max(4000),
    "Every handler checks the tenant before it reads a row.",
    "What to look for, in plain words. Only the model reads it.",
  ),
});
export type PathInstruction = z.infer<typeof PathInstruction>;
