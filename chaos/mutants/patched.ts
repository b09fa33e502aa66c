// A small textual patch. If its place does not occur exactly once, that is a problem.
import type { Mutant } from "./mutants.ts";

/** The source with the mutant's breakage; `problem` when it does not apply, with the text as it was. */
export function patched(
  { id, file, find, replace }: Pick<Mutant, "id" | "file" | "find" | "replace">,
  text: string,
): { readonly text: string; readonly problem: string | null } {
  const times = text.split(find).length - 1;
  if (times !== 1) return { text, problem: `${id}: its place is there ${times} times in ${file}; fix the patch` };
  // Not as a pattern: `$&` in it would mean something.
  return { text: text.split(find).join(replace), problem: null };
}
