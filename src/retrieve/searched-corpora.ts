import type { Knowledge } from "../config/knowledge.ts";
import type { Corpus } from "../domain/memory.ts";

/** The corpora that are searched for a repository: documents and code only where its configuration has them remembered. */
export function searchedCorpora(corpora: readonly Corpus[], { docs, code }: Knowledge["corpora"]): readonly Corpus[] {
  const kept = docs ? corpora : corpora.filter((corpus) => corpus !== "doc");
  return code && !kept.includes("code") ? [...kept, "code"] : kept;
}
