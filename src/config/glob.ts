// A glob for paths in .kodiai.yml.
import { z } from "zod";
import { pathGlob } from "./path-glob.ts";

/** An unreadable glob is a problem of the file with its place; a leading `!` belongs to the list around it. */
export const Glob = z
  .string()
  .min(1)
  .max(500, { abort: true })
  .superRefine((source, context) => {
    const glob = pathGlob(source.replace(/^!/, ""));
    if ("problem" in glob) context.addIssue({ code: "custom", message: glob.problem });
  });
