// A glob for paths as it stands in .kodiai.yml.
import { z } from "zod";
import { pathGlob } from "./path-glob.ts";

/** One that cannot be read is a problem of the file with its place; `!` in front is for the list that it stands in. */
export const Glob = z
  .string()
  .min(1)
  .max(500, { abort: true })
  .superRefine((source, context) => {
    const glob = pathGlob(source.replace(/^!/, ""));
    if ("problem" in glob) context.addIssue({ code: "custom", message: glob.problem });
  });
