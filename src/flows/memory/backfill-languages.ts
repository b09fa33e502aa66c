// Derives the language of rows without one from their path. Running it again changes nothing.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import type { Remembered } from "../../domain/memory/write-report.ts";
import type { Corpus } from "../../domain/memory.ts";
import { type Remembering, remember } from "../../learn/learn.ts";
import type { Embedder } from "../../ports/memory.ts";
import { type ExportPorts, recordsOf } from "./export-memory.ts";

/** Corpora with code paths; documents get their language from tags, code from its grammar. */
const TOLD_BY_PATH: readonly Corpus[] = ["finding", "review_comment"];

interface Backfilled {
  readonly kind: "backfilled";
  /** Rows without a language. */
  readonly without: number;
  /** How many of them got which language; canonical ids. */
  readonly byLanguage: ReadonlyMap<string, number>;
  /** How many of them stay unknown: no path, or one that determines no language. */
  readonly unknown: number;
  readonly remembered: Remembered;
}

/**
 * Reads only paths. Because the language is part of the embedded text, a row that gets one is embedded again.
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
