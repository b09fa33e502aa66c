// The usual values of a key in .kodiai.yml. Each has a default, a description, and an example that
// differs from the default.
import { z } from "zod";
import { globPattern, PATTERN_LENGTH } from "./patterns.ts";

/** `true` or `false`; the example is the opposite of the default. */
export function flag(fallback: boolean, description: string) {
  return documented(z.boolean().default(fallback), !fallback, description);
}

type Range = Readonly<Record<"min" | "max" | "default" | "example", number>>;

export function whole({ min, max, default: fallback, example }: Range, description: string) {
  return documented(z.int().min(min).max(max).default(fallback), example, description);
}

export function amount({ min, max, default: fallback, example }: Range, description: string) {
  return documented(z.number().min(min).max(max).default(fallback), example, description);
}

export function choice<const Word extends string>(
  words: readonly Word[],
  { default: fallback, example }: { readonly default: NoInfer<Word>; readonly example: NoInfer<Word> },
  description: string,
) {
  return documented(z.enum(words).default(fallback as never), example, description);
}

/** The same schema with its description and an example that differs from its default. */
export function documented<Schema extends z.ZodType>(schema: Schema, example: unknown, description: string): Schema {
  return schema.describe(description).meta({ examples: [example] });
}

/** Keys below a key. A file may leave out the section, or any of its keys. */
export function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

/**
 * Text that `read` can use, such as a pattern; any other is a problem of the file with its place,
 * never an exception later. @param read returns what is wrong as a sentence fragment
 */
export function checkedText(read: (source: string) => object | { readonly problem: string }) {
  return z
    .string()
    .min(1)
    .max(PATTERN_LENGTH, { abort: true })
    .superRefine((source, context) => {
      const pattern = read(source);
      if ("problem" in pattern) context.addIssue({ code: "custom", message: String(pattern.problem) });
    });
}

/** A glob for paths or branches; a leading `!` belongs to the list around it. */
export const Glob = checkedText((source) => globPattern(source.replace(/^!/, "")));
