// One search result for a terminal: its text, its source, and the reasons for its rank.

import { styleText } from "node:util";
import { filePattern } from "../../config/patterns.ts";
import { outcomeText } from "../../domain/memory/evidence.ts";
import type { FieldCounts, MemoryRecord } from "../../domain/memory.ts";
import { type RankedMemory, scoreText, termsText } from "../../domain/retrieval.ts";
import { oneLine } from "../../domain/text/cut-text.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import type { WhyOutcome } from "../../flows/memory/why-outcome.ts";
import { clipped, terminalText } from "../terminal-text.ts";

const TEXT_CHARS = 160;

function sourceLine({ corpus, path, symbol, ...record }: MemoryRecord): string {
  const place = [path, symbol].filter((part) => part !== null).join("#");
  const kind = [corpus, record.chunkType ?? record.category, record.severity].filter((part) => part !== null).join("/");
  const facts = [kind, place, record.language, record.outcome, isoDate(record.provenance.at)];
  return terminalText(facts.filter((fact) => fact !== null && fact !== "" && fact !== "unknown").join("  "));
}

/** Both ranks with their scores: `meaning #2 (distance .312)  words #1 (BM25 8.4)`. */
function rankLine(memory: RankedMemory): string {
  const { distance, vectorRank, keywordRank, keywordScore, adjustedDistance, nearestHunk, confidence } = memory;
  const adjusted = adjustedDistance === null ? "" : `, adjusted ${adjustedDistance.toFixed(3)}`;
  const sure = confidence === null ? "" : `, ${confidence.replace("_", " ")} confidence`;
  const parts = [
    vectorRank === null
      ? "meaning –"
      : `meaning #${vectorRank} (distance ${distance?.toFixed(3) ?? "?"}${adjusted}${sure})`,
    keywordRank === null ? "words –" : `words #${keywordRank} (BM25 ${keywordScore?.toFixed(1) ?? "?"})`,
    ...(nearestHunk === null ? [] : [`nearest to ${nearestHunk.path} (${nearestHunk.distance.toFixed(3)})`]),
  ];
  return terminalText(parts.join("  "));
}

export function memoryLines(memory: RankedMemory, number: number): readonly string[] {
  const { record, alternateSources, score, terms } = memory;
  const pad = " ".repeat(String(number).length + 2);
  const { url } = record.provenance;
  const text = clipped(terminalText(oneLine(record.lesson ?? record.text)), TEXT_CHARS);
  const below = [
    `${scoreText(score)} = ${termsText(terms)}`,
    rankLine(memory),
    ...(url === null ? [] : [terminalText(url)]),
    ...(alternateSources.length === 0 ? [] : [`also from ${terminalText(alternateSources.join(" "))}`]),
  ];
  return [
    `${styleText("bold", `${number}.`)} ${styleText("cyan", scoreText(score))}  ${sourceLine(record)}  ${styleText("dim", record.id)}`,
    `${pad}${text}`,
    ...below.map((line) => styleText("dim", `${pad}${line}`)),
  ];
}

/** For a terminal; contains text by others, which the caller must make visible. */
export function whyPage(record: MemoryRecord, { because, evidence }: WhyOutcome): string {
  const acts = evidence.length === 0 ? ["no acts of people are known"] : evidence.map(evidenceLines);
  return [`${record.id}  ${outcomeText(record)}`, ...because.map((reason) => `  because ${reason}`), ...acts].join(
    "\n",
  );
}

function evidenceLines({ evidence: act, effect }: WhyOutcome["evidence"][number]): string {
  const { by } = act;
  const who = by === null ? "unknown" : `@${by.login} (${by.isBot ? "bot" : by.access})`;
  const when = new Date(act.at).toISOString().slice(0, 16).replace("T", " ");
  const stance = act.stance === null ? null : `(${act.stance})`;
  const what = [act.kind, stance, act.sha?.slice(0, 12) ?? null].filter((part) => part !== null).join(" ");
  const text = act.text?.replace(/\s+/g, " ").slice(0, 300) ?? null;
  const below = [text, act.url].filter((part) => part !== null).map((part) => `\n    ${part}`);
  return `- ${when}  ${who}  ${what}: ${effect}${below.join("")}`;
}

export function lineOf(record: MemoryRecord): string {
  const text = (record.lesson ?? record.text).replace(/\s+/g, " ").trim().slice(0, 80);
  return [record.id, record.corpus, record.outcome ?? "-", record.language, record.path ?? "-", text].join("  ");
}

/** A memory in full; the part that a model wrote is apart from what people did. */
export function pageOf(record: MemoryRecord): string {
  const { provenance } = record;
  const facts = {
    corpus: record.corpus,
    source: record.sourceId,
    outcome: record.outcome === null ? null : outcomeText(record),
    severity: record.severity,
    category: record.category,
    language: record.language,
    path: record.path,
    "files alike": filePattern(record.path),
    symbol: record.symbol,
    "pull request": provenance.pull,
    author: provenance.author,
    at: new Date(provenance.at).toISOString(),
    url: provenance.url,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  const head = known.map(([name, value]) => `${name}: ${value}`).join("\n");
  const replies = record.replies.map((reply) => `> ${reply.replaceAll("\n", "\n> ")}`);
  return [`${record.id}\n${head}`, writtenPart(record), record.text, ...replies, record.hunk]
    .filter((part) => part !== null)
    .join("\n\n");
}

/** The part that a model wrote, marked as such; why it wrote nothing; null without a model. */
function writtenPart({ situation, lesson, tags, described }: MemoryRecord): string | null {
  if (situation === null && lesson === null) {
    if (described === null) return null;
    return `${described.by === "" ? "" : `asked ${described.by}: `}no lesson: ${described.problems.join(", ")}`;
  }
  const sure = described === null ? "" : `, confidence ${described.confidence}`;
  const lines = [
    ...(situation === null ? [] : [`  situation: ${situation}`]),
    ...(lesson === null ? [] : [`  lesson: ${lesson}`]),
    ...(tags.length === 0 ? [] : [`  tags: ${tags.join(" | ")}`]),
  ];
  return [`written by ${described?.by ?? "a model that is not named"}${sure}:`, ...lines].join("\n");
}

/** `lessons: 12; without, by rule: lesson/too-long 2; not described yet: 5` */
export function lessonsLine({ described, without, waiting }: FieldCounts): string {
  const reasons = [...without].map(([name, count]) => `${name} ${count}`).join(", ");
  return `lessons: ${described}; without, by rule: ${reasons === "" ? "none" : reasons}; not described yet: ${waiting}`;
}

export function mostFirst(counts: Iterable<readonly [string, number]>): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** `go 12, rust 3`; "none" without any. */
export function countsText(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
}
