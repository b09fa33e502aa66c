// A memory for a person at a terminal: on one line, or on a page of its own.
import { outcomeWords } from "../domain/evidence.ts";
import type { MemoryRecord } from "../domain/memory.ts";

/** One memory on one line. */
export function lineOf(record: MemoryRecord): string {
  const said = (record.lesson ?? record.text).replace(/\s+/g, " ").trim().slice(0, 80);
  return [record.id, record.corpus, record.outcome ?? "-", record.language, record.path ?? "-", said].join("  ");
}

/** Everything about one memory. */
export function pageOf(record: MemoryRecord): string {
  const { provenance } = record;
  const facts = [
    ["corpus", record.corpus],
    ["source", record.sourceId],
    ["outcome", record.outcome === null ? null : outcomeWords(record)],
    ["severity", record.severity],
    ["category", record.category],
    ["language", record.language],
    ["path", record.path],
    ["symbol", record.symbol],
    ["pull request", provenance.pull],
    ["author", provenance.author],
    ["at", new Date(provenance.at).toISOString()],
    ["url", provenance.url],
  ].filter(([, value]) => value !== null);
  const head = facts.map(([name, value]) => `${name}: ${value}`).join("\n");
  const replies = record.replies.map((reply) => `> ${reply.replaceAll("\n", "\n> ")}`);
  return [`${record.id}\n${head}`, record.situation, record.lesson, record.text, ...replies, record.hunk]
    .filter((part) => part !== null)
    .join("\n\n");
}

/** Text of others on a terminal: no control characters that could move the cursor, recolour or hide what stands there. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : "\uFFFD",
  );
}
