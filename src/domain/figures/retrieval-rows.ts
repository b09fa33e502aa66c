// The figures of retrieval in words, for the command line and the dashboard.
import { counted } from "../text/counted.ts";
import { cutText } from "../text/cut-text.ts";
import { percent, type RetrievalFigures } from "./retrieval-figures.ts";

/** Rows with a name and its figures; a row without a name continues the one before. */
export function retrievalRows(figures: RetrievalFigures): readonly Row[] {
  return [...answerRows(figures), ...costRows(figures), ...gateRows(figures), ...queryRows(figures)];
}

type Row = readonly [name: string, text: string];

function answerRows({ count, ms, byMethod, ...average }: RetrievalFigures): Row[] {
  if (count === 0) return [["searches", "none"]];
  const methods = byMethod.map(
    ({ origin, method, count: n, averageMs }) => `${ORIGIN[origin]}${method} ${time(averageMs)} (${n})`,
  );
  const { averageResults, averageScore, averageDistance, languageMatch, byDistance, byProbability, calibrated } =
    average;
  const admitted = [
    ...(byDistance === 0 ? [] : [`by distance in ${byDistance}, up to ${calibrated.toFixed(2)} in the mean`]),
    ...(byProbability === 0 ? [] : [`by probability in ${byProbability}`]),
  ];
  const scores = `similarity ${averageScore.toFixed(2)}   distance ${averageDistance.toFixed(2)}`;
  const found = `${scores}   in a language of the change ${percent(languageMatch)}`;
  return [
    ["searches", `${count}, ${averageResults.toFixed(1)} memories each`],
    ["time", `P50 ${time(ms.p50)}   P95 ${time(ms.p95)}   P99 ${time(ms.p99)}   mean ${time(ms.average)}`],
    ["by method", methods.join("   ")],
    ["found", averageDistance === 0 && averageScore === 0 ? "nothing by meaning" : found],
    ["admitted", admitted.join("   ")],
  ];
}

const ORIGIN = { review: "", "command-line": "cli ", search: "search ", question: "question " } as const;

function costRows({ count, embedding, rerank, usdPerRetrieval }: RetrievalFigures): Row[] {
  if (count === 0) return [];
  const cache = embedding.paid === 0 ? "free, no cache needed" : `${percent(embedding.hitShare)} from the cache`;
  const { failed, averageMs, topChanged, meanMove } = rerank;
  const reranked = `${counted(rerank.count, "time")} (${failed} failed), ${time(averageMs)}, changed ${percent(topChanged)} of the first five, moved ${meanMove.toFixed(1)} ranks, ${usd(rerank.usd)}`;
  return [
    [
      "embedding",
      `${counted(embedding.texts, "text")}, ${cache}, ${counted(embedding.tokens, "token")}, ${usd(embedding.usd)}`,
    ],
    ["reranking", rerank.count === 0 ? "none" : reranked],
    ["cost", `${usd(usdPerRetrieval)} a search`],
  ];
}

function gateRows({ gate }: RetrievalFigures): Row[] {
  if (gate.decisions === 0) return [];
  const { searched, hits } = gate.shadow;
  const rules = gate.byRule.map(({ rule, count }) => `${rule} ${count}`).join(", ");
  const skipped = `${gate.skips} of ${gate.decisions} skipped (${percent(gate.skipShare)})${rules === "" ? "" : `: ${rules}`}`;
  const checked =
    searched === 0
      ? "no skip was checked"
      : `${searched} skips checked, ${hits} would have found something, accuracy ${percent(gate.accuracy ?? 0)}`;
  const speed = `by rule ${percent(gate.fastPathShare)}, from its cache ${percent(gate.cachedShare)}, P95 ${time(gate.ms.p95)}`;
  return [
    ["gate", skipped],
    ["", `${speed}, about ${gate.tokensSaved} prompt tokens saved; ${checked}`],
  ];
}

const QUERY_CHARS = 70;

function queryRows({ topQueries, degraded }: RetrievalFigures): Row[] {
  const asked = topQueries
    .filter(({ count }) => count > 1)
    .map(({ query, count }, index): Row => {
      const [first = ""] = query.split("\n", 1);
      const cut = first.length > QUERY_CHARS ? "…" : "";
      return [index === 0 ? "asked most" : "", `${count} × ${cutText(first, QUERY_CHARS)}${cut}`];
    });
  const parts = degraded.map(({ part, count }) => `${part} ${count}`).join(", ");
  return [...asked, ["degraded", parts === "" ? "nothing" : parts]];
}

function time(ms: number): string {
  return ms < 10 ? `${Number(ms.toFixed(1))} ms` : `${Math.round(ms)} ms`;
}

function usd(amount: number): string {
  if (amount === 0) return "$0";
  return amount < 0.01 ? `$${Number(amount.toPrecision(2))}` : `$${amount.toFixed(2)}`;
}
