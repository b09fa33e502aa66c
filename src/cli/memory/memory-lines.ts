// One search result for a terminal: its text, its source, and the reasons for its rank.

import { styleText } from "node:util";
import { filePattern } from "../../config/patterns.ts";
import { outcomeText } from "../../domain/memory/evidence.ts";
import type { FieldCounts, MemoryRecord } from "../../domain/memory.ts";
import { type RankedMemory, scoreText, termsText } from "../../domain/retrieval.ts";
import { oneLine } from "../../domain/text/cut-text.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import { weigh } from "../../learn/learn.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";
import { clipped, terminalText } from "../terminal-text.ts";

const TEXT_CHARS = 160;

function textLine({ record }: RankedMemory): string {
  return clipped(terminalText(oneLine(record.lesson ?? record.text)), TEXT_CHARS);
}

function sourceLine({ record }: RankedMemory): string {
  const place = [record.path, record.symbol].filter((part) => part !== null).join("#");
  const kind = [record.corpus, record.chunkType ?? record.category, record.severity].filter((part) => part !== null);
  const facts = [kind.join("/"), place, record.language, record.outcome, isoDate(record.provenance.at)];
  return terminalText(facts.filter((fact) => fact !== null && fact !== "" && fact !== "unknown").join("  "));
}

/** Both ranks with their scores: `meaning #2 (distance .312)  words #1 (BM25 8.4)`. */
function rankLine(memory: RankedMemory): string {
  const { distance, vectorRank, keywordRank, keywordScore, adjustedDistance, nearestHunk, confidence } = memory;
  const adjusted = adjustedDistance === null ? "" : `, adjusted ${adjustedDistance.toFixed(3)}`;
  const sure = confidence === undefined ? "" : `, ${confidence.replace("_", " ")} confidence`;
  const parts = [
    vectorRank === null
      ? "meaning –"
      : `meaning #${vectorRank} (distance ${distance?.toFixed(3) ?? "?"}${adjusted}${sure})`,
    keywordRank === null ? "words –" : `words #${keywordRank} (BM25 ${keywordScore?.toFixed(1) ?? "?"})`,
    ...(nearestHunk === null ? [] : [`nearest to ${nearestHunk.path} (${nearestHunk.distance.toFixed(3)})`]),
  ];
  return terminalText(parts.join("  "));
}

/** A numbered memory over a few lines: its score, its text, the terms of the score, and the ranks. */
export function memoryLines(memory: RankedMemory, number: number): readonly string[] {
  const { record, alternateSources, score, terms } = memory;
  const pad = " ".repeat(String(number).length + 2);
  const url = record.provenance.url;
  return [
    `${styleText("bold", `${number}.`)} ${styleText("cyan", scoreText(score))}  ${sourceLine(memory)}  ${styleText("dim", record.id)}`,
    `${pad}${textLine(memory)}`,
    styleText("dim", `${pad}${scoreText(score)} = ${termsText(terms)}`),
    styleText("dim", `${pad}${rankLine(memory)}`),
    ...(url === null ? [] : [styleText("dim", `${pad}${terminalText(url)}`)]),
    ...(alternateSources.length === 0
      ? []
      : [styleText("dim", `${pad}also from ${terminalText(alternateSources.join(" "))}`)]),
  ];
}

// kodiai memory why: what people did about a finding, and how each act changed its outcome.

type Why = Pick<NonNullable<ReturnType<ReturnType<typeof weigh>["get"]>>, "because" | "evidence"> &
  Pick<MemoryRecord, "outcome" | "decided">;

/** Weighs the evidence again: the record has the outcome of the last time. */
export async function whyOf(record: MemoryRecord, store: Pick<EvidenceStore, "evidence">): Promise<Why> {
  const { pull } = record.provenance;
  const all = pull === null ? [] : await store.evidence(record.repo, pull);
  const weighed = weigh(all, [record]).get(record.id);
  const { outcome, decided } = record;
  const known = { outcome, ...(decided ? { decided } : {}) };
  return { ...known, because: weighed?.because ?? [], evidence: weighed?.evidence ?? [] };
}

/** For a terminal; contains text by others, which the caller must make visible. */
export function whyPage(record: MemoryRecord, { because, evidence }: Why): string {
  const head = [`${record.id}  ${outcomeText(record)}`, ...because.map((one) => `  because ${one}`)];
  const nothing = "no acts of people are known";
  return [...head, ...(evidence.length === 0 ? [nothing] : evidence.map(evidenceLines))].join("\n");
}

function evidenceLines({ evidence: one, effect }: Why["evidence"][number]): string {
  const { by } = one;
  const who = by === null ? "unknown" : `@${by.login} (${by.isBot ? "bot" : by.access})`;
  const when = new Date(one.at).toISOString().slice(0, 16).replace("T", " ");
  const stance = one.stance === null ? null : `(${one.stance})`;
  const what = [one.kind, stance, one.sha?.slice(0, 12) ?? null].filter((part) => part !== null).join(" ");
  const text = one.text?.replace(/\s+/g, " ").slice(0, 300) ?? null;
  const below = [text, one.url].filter((part) => part !== null).map((part) => `\n    ${part}`);
  return `- ${when}  ${who}  ${what}: ${effect}${below.join("")}`;
}

// A memory for a terminal: as a line, as a page, and the part that a model wrote.

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
