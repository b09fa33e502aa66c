// kodiai stats: retrieval figures of the last hours or days, and their alerts.

import { counted } from "../../domain/text/counted.ts";
import { isFolder } from "../../environment/data-dir.ts";
import { UsageError } from "../../config/usage-error.ts";
import { styleText } from "node:util";
import { type RetrievalAlert, type RetrievalFigures, retrievalAlerts, retrievalFigures } from "../../domain/figures/retrieval-figures.ts";
import { type RepoKey, repoKey } from "../../domain/memory.ts";
import { localRepository } from "../../wire/cli/memory-ports.ts";
import { openForReading } from "../../wire/cli/store.ts";
import { storePlace } from "../../environment/data-dir.ts";
import { clipped, terminalText } from "../terminal-text.ts";
import { type ExitCode, printed, readWords, wantsJson, withPorts } from "../usage.ts";
import type { RepositoryLabels } from "../../ports/memory.ts";
import { VERBS } from "../verbs.ts";

const HOUR_MS = 60 * 60_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
]);
/** Older rows are deleted. */
const MOST_DAYS = 30;

/** The window of `doctor`, and of `stats` without `--window`. */
export const DAY_MS = 24 * HOUR_MS;

/** @returns 0, also with alerts @throws UsageError */
export async function stats(words: readonly string[]): Promise<ExitCode> {
  const { values } = readWords(words, VERBS.stats.options);
  const asJson = wantsJson(values);
  const word = values.window ?? "24h";
  const ms = milliseconds(word);
  return withPorts(openForReading(storePlace(values["data-dir"])), async (store) => {
    const repo = values.repo === undefined ? null : await keyOrName(values.repo, async () => (await store?.labels.all()) ?? []);
    const figures = store === null ? retrievalFigures([], []) : await store.statistics.read({ ms, repo });
    const alerts = retrievalAlerts(figures);
    return printed(asJson, { window: { ms, repo: values.repo ?? null }, ...figures, alerts }, () =>
      figuresPage(`last ${word}, ${values.repo ?? "all repositories"}`, figures, alerts),
    );
  });
}

async function keyOrName(word: string, known: RepositoryLabels["all"]): Promise<RepoKey> {
  if (isFolder(word)) return repoKey(await localRepository(word, await known()));
  if (!/^[\w.-]+\/[\w.-]+$/.test(word)) throw new UsageError(`--repo ${word} is neither a folder nor OWNER/NAME`);
  return word;
}

function milliseconds(word: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(word) ?? [];
  const ms = Number(count) * (UNITS.get(unit) ?? 0);
  if (ms > 0 && ms <= MOST_DAYS * DAY_MS) return ms;
  throw new UsageError(
    `--window takes minutes, hours or days, such as 30m, 24h or 7d, up to ${MOST_DAYS}d; not ${JSON.stringify(word)}`,
  );
}

/**
 * A dozen rows, each with a name and its figures.
 *
 * @param title the window and the repository
 * @returns text with ANSI colours if standard output is a terminal that supports them
 */
function figuresPage(title: string, figures: RetrievalFigures, alerts: readonly RetrievalAlert[]): string {
  const { gate, count } = figures;
  const head = `${styleText("bold", "retrieval")}  ${terminalText(title)}`;
  if (count === 0 && gate.decisions === 0) return `${head}\n\n  no searches`;
  const rows = [...answerRows(figures), ...costRows(figures), ...gateRows(figures), ...queryRows(figures)];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    head,
    "",
    ...rows.map(([name, text]) => `  ${styleText("cyan", name.padEnd(width))}  ${terminalText(text)}`),
    "",
    ...alertLines(alerts, count),
  ].join("\n");
}

type Row = readonly [name: string, text: string];

function answerRows({ count, ms, byMethod, ...average }: RetrievalFigures): Row[] {
  if (count === 0) return [["searches", "none"]];
  const methods = byMethod.map(
    ({ origin, method, count: n, averageMs }) => `${ORIGIN[origin]}${method} ${time(averageMs)} (${n})`,
  );
  const { averageResults, averageScore, averageDistance, languageMatch, byDistance, byProbability, calibrated } = average;
  const admitted = [
    ...(byDistance === 0 ? [] : [`by distance in ${byDistance}, up to ${calibrated.toFixed(2)} in the mean`]),
    ...(byProbability === 0 ? [] : [`by probability in ${byProbability}`]),
  ];
  const scores = `score ${averageScore.toFixed(2)}   distance ${averageDistance.toFixed(2)}`;
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
    ["embedding", `${counted(embedding.texts, "text")}, ${cache}, ${counted(embedding.tokens, "token")}, ${usd(embedding.usd)}`],
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
    searched === 0 ? "no skip was checked" : `${searched} skips checked, ${hits} would have found something, accuracy ${percent(gate.accuracy ?? 0)}`;
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
      return [index === 0 ? "asked most" : "", `${count} × ${clipped(first, QUERY_CHARS)}`];
    });
  const parts = degraded.map(({ part, count }) => `${part} ${count}`).join(", ");
  return [...asked, ["degraded", parts === "" ? "nothing" : parts]];
}

function alertLines(alerts: readonly RetrievalAlert[], count: number): readonly string[] {
  if (alerts.length === 0) return [styleText("green", `  no alert (n = ${count})`)];
  return alerts.flatMap(({ name, text, fix }) => [
    `  ${styleText("yellow", `${name}:`)} ${text}`,
    styleText("dim", `    ${fix}`),
  ]);
}

function time(ms: number): string {
  return ms < 10 ? `${Number(ms.toFixed(1))} ms` : `${Math.round(ms)} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function usd(amount: number): string {
  if (amount === 0) return "$0";
  return amount < 0.01 ? `$${Number(amount.toPrecision(2))}` : `$${amount.toFixed(2)}`;
}
