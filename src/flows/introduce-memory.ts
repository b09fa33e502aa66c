// The first reviews of a repository say what memory there is for the languages of the change.
import type { Repo } from "../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../domain/language.ts";
import { repoKey } from "../domain/memory.ts";
import type { MemoryHeld } from "../domain/review.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Introductions } from "../ports/history.ts";
import type { Recall } from "../ports/memory.ts";

const MOST_LANGUAGES = 5;

/** Null when it need not be said, or cannot: what memory cannot tell is told elsewhere in the review. */
export async function introduceMemory(
  repo: Repo,
  { languages: changed }: Pick<ReviewSignals, "languages">,
  { recall, introductions }: { readonly recall: Recall; readonly introductions?: Introductions | undefined },
): Promise<MemoryHeld | null> {
  if (introductions === undefined || recall.off !== undefined) return null;
  try {
    const why = await introductions.of(repo);
    if (why === null) return null;
    const scope = { repo: repoKey(repo), ownerPool: null, excludePull: null, before: null };
    const { byLanguage } = await recall.counts(scope);
    const known = changed.filter(({ language }) => language !== UNKNOWN_LANGUAGE);
    const most = [...byLanguage].sort(([, a], [, b]) => b - a).map(([language]) => ({ language, name: language }));
    const languages = (known.length > 0 ? known : most)
      .slice(0, MOST_LANGUAGES)
      .map(({ language, name }) => ({ language: name, count: byLanguage.get(language) ?? 0 }));
    return { languages, isImporting: why === "importing" };
  } catch {
    return null;
  }
}
