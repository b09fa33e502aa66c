// A memory for a terminal: as a line, as a page, and the part that a model wrote.

import { filePattern } from "../../config/path-glob.ts";
import { outcomeText } from "../../domain/memory/evidence.ts";
import type { FieldCounts, MemoryRecord } from "../../domain/memory.ts";

/** One line of a list. */
export function lineOf(record: MemoryRecord): string {
  const text = (record.lesson ?? record.text).replace(/\s+/g, " ").trim().slice(0, 80);
  return [record.id, record.corpus, record.outcome ?? "-", record.language, record.path ?? "-", text].join("  ");
}

/** A memory in full; the part that a model wrote is apart from what people did. */
export function pageOf(record: MemoryRecord): string {
  const { provenance } = record;
  const facts = [
    ["corpus", record.corpus],
    ["source", record.sourceId],
    ["outcome", record.outcome === null ? null : outcomeText(record)],
    ["severity", record.severity],
    ["category", record.category],
    ["language", record.language],
    ["path", record.path],
    ["files alike", filePattern(record.path)],
    ["symbol", record.symbol],
    ["pull request", provenance.pull],
    ["author", provenance.author],
    ["at", new Date(provenance.at).toISOString()],
    ["url", provenance.url],
  ].filter(([, value]) => value !== null);
  const head = facts.map(([name, value]) => `${name}: ${value}`).join("\n");
  const replies = record.replies.map((reply) => `> ${reply.replaceAll("\n", "\n> ")}`);
  return [`${record.id}\n${head}`, writtenPart(record), record.text, ...replies, record.hunk]
    .filter((part) => part !== null)
    .join("\n\n");
}

/** The part that a model wrote, marked as such; why it wrote nothing; null without a model. */
function writtenPart({ situation, lesson, tags, described }: MemoryRecord): string | null {
  if (situation === null && lesson === null) {
    return described === undefined
      ? null
      : `${described.by === "" ? "" : `asked ${described.by}: `}no lesson: ${described.problems.join(", ")}`;
  }
  const sure = described === undefined ? "" : `, confidence ${described.confidence}`;
  const lines = [
    ["situation", situation],
    ["lesson", lesson],
    ["tags", tags.length === 0 ? null : tags.join(" | ")],
  ].flatMap(([name, text]) => (text === null ? [] : [`  ${name}: ${text}`]));
  return [`written by ${described?.by ?? "a model that is not named"}${sure}:`, ...lines].join("\n");
}

/** How many memories have a lesson, and why others have none: `lessons: 12; without: 3 (lesson/too-long 2, …); 5 wait`. */
export function lessonsLine({ described, without, waiting }: FieldCounts): string {
  const reasons = [...without].map(([name, count]) => `${name} ${count}`).join(", ");
  return `lessons: ${described}; without, by rule: ${reasons === "" ? "none" : reasons}; not described yet: ${waiting}`;
}
