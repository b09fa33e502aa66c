// One search result for a terminal: its text, its source, and the reasons for its rank.
import { styleText } from "node:util";
import { type RankedMemory, scoreText, termsText } from "../../domain/retrieval.ts";
import { oneLine } from "../../domain/text/cut-text.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
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
