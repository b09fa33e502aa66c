// The first reviews of a repository say what memory there is for the languages of the change.
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import type { MemoryHeld } from "../domain/review.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Introductions } from "../ports-history.ts";
import type { Recall } from "../ports-memory.ts";

const MOST_LANGUAGES = 5;

/** Null when it need not be said, or cannot: what memory cannot tell is told elsewhere in the review. */
export async function introduceMemory(
  repo: Repo,
  { files }: Pick<ReviewSignals, "files">,
  { recall, introductions }: { readonly recall: Recall; readonly introductions?: Introductions | undefined },
): Promise<MemoryHeld | null> {
  if (introductions === undefined || recall.off !== undefined) return null;
  try {
    const why = introductions.of(repo);
    if (why === null) return null;
    const scope = { repo: repoKey(repo), ownerPool: null, excludePull: null, before: null };
    const { byLanguage } = await recall.counts(scope);
    const changed = new Set(files.map(({ language }) => language).filter((language) => language !== "unknown"));
    const most = [...byLanguage].sort(([, a], [, b]) => b - a).map(([language]) => language);
    const named = changed.size > 0 ? [...changed] : most;
    const languages = named
      .slice(0, MOST_LANGUAGES)
      .map((language) => ({ language, count: byLanguage.get(language) ?? 0 }));
    return { languages, isImporting: why === "importing" };
  } catch {
    return null;
  }
}
