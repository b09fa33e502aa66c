// kodiai stats: retrieval figures of the last hours or days, and their alerts.

import { styleText } from "node:util";
import { UsageError } from "../../config/usage-error.ts";
import {
  type RetrievalAlert,
  type RetrievalFigures,
  retrievalAlerts,
  retrievalFigures,
} from "../../domain/figures/retrieval-figures.ts";
import { retrievalRows } from "../../domain/figures/retrieval-rows.ts";
import { type RepoKey, repoKey } from "../../domain/memory.ts";
import { isFolder, storePlace } from "../../environment/data-dir.ts";
import type { RepositoryLabels } from "../../ports/memory.ts";
import { localRepository } from "../../wire/cli/memory-ports.ts";
import { openForReading } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { printed, verb, withPorts } from "../usage.ts";

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
export const stats = verb("stats", 0, async (values) => {
  const word = values.window ?? "24h";
  const ms = milliseconds(word);
  return withPorts(openForReading(storePlace(values["data-dir"])), async (store) => {
    const repo =
      values.repo === undefined ? null : await keyOrName(values.repo, async () => (await store?.labels.all()) ?? []);
    const figures = store === null ? retrievalFigures([], []) : await store.statistics.read({ ms, repo });
    const alerts = retrievalAlerts(figures);
    return printed(values, { window: { ms, repo: values.repo ?? null }, ...figures, alerts }, () =>
      figuresPage(`last ${word}, ${values.repo ?? "all repositories"}`, figures, alerts),
    );
  });
});

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

function figuresPage(title: string, figures: RetrievalFigures, alerts: readonly RetrievalAlert[]): string {
  const { gate, count } = figures;
  const head = `${styleText("bold", "retrieval")}  ${terminalText(title)}`;
  if (count === 0 && gate.decisions === 0) return `${head}\n\n  no searches`;
  const rows = retrievalRows(figures);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    head,
    "",
    ...rows.map(([name, text]) => `  ${styleText("cyan", name.padEnd(width))}  ${terminalText(text)}`),
    "",
    ...alertLines(alerts, count),
  ].join("\n");
}

function alertLines(alerts: readonly RetrievalAlert[], count: number): readonly string[] {
  if (alerts.length === 0) return [styleText("green", `  no alert (n = ${count})`)];
  return alerts.flatMap(({ name, text, fix }) => [
    `  ${styleText("yellow", `${name}:`)} ${text}`,
    styleText("dim", `    ${fix}`),
  ]);
}
