// Rows that were remembered before their language was known get it from their path. Run again, it changes nothing.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import type { Remembered } from "../../domain/memory/write-report.ts";
import type { Corpus } from "../../domain/memory.ts";
import { type Remembering, remember } from "../../learn/learn.ts";
import type { Embedder } from "../../ports/memory.ts";
import { type ExportPorts, recordsOf } from "./export-memory.ts";

/** What is about code and has a path; documents are told by their tags, code by its grammar. */
const TOLD_BY_PATH: readonly Corpus[] = ["finding", "review_comment"];

export interface Backfilled {
  readonly kind: "backfilled";
  /** Rows that had no language. */
  readonly without: number;
  /** Of them, how many have which now; canonical ids. */
  readonly byLanguage: ReadonlyMap<string, number>;
  /** Of them, how many stay unknown: no path, or one that tells nothing. */
  readonly unknown: number;
  readonly remembered: Remembered;
}

/**
 * Looks at paths only and at nothing else of a row. Because the language is part of what is embedded, a row that gets one
 * is embedded anew.
 *
 * @throws Transient when memory cannot be read or written now; the same call again completes it
 */
export async function backfillLanguages(
  repo: Repo,
  ports: Omit<ExportPorts, "space"> & { readonly embedder: Embedder },
  remembering: Remembering,
): Promise<Backfilled> {
  const { memory, embedder } = ports;
  const byLanguage = new Map<string, number>();
  const fixed = [];
  let without = 0;
  for await (const record of recordsOf({ repo, corpora: TOLD_BY_PATH }, { ...ports, space: embedder.space })) {
    if (record.language !== "" && record.language !== UNKNOWN_LANGUAGE) continue;
    without += 1;
    const language = record.path === null ? UNKNOWN_LANGUAGE : languageOf(record.path);
    if (language === UNKNOWN_LANGUAGE) continue;
    byLanguage.set(language, (byLanguage.get(language) ?? 0) + 1);
    fixed.push({ ...record, language });
  }
  const remembered = await remember(fixed, embedder, memory, remembering);
  return { kind: "backfilled", without, byLanguage, unknown: without - fixed.length, remembered };
}
