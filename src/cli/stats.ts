// kodiai stats: what retrieval did in the last hours or days, and what of it needs a look.

import { type RetrievalAlert, retrievalAlerts } from "../domain/figures/retrieval-alerts.ts";
import type { RepoKey } from "../domain/memory.ts";
import type { RetrievalStatistics } from "../ports/memory.ts";
import { figuresPage } from "./figures-page.ts";
import { isFolder } from "./find-repository.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/** What the verb needs of the world. */
export interface StatsVerbPorts {
  readonly statistics: RetrievalStatistics;
  /** The key of the clone in a folder. */
  readonly repoKeyOf: (path: string) => Promise<RepoKey>;
  readonly close: () => Promise<void>;
}

const HOUR_MS = 60 * 60_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
]);
/** Older rows are not kept. */
const MOST_DAYS = 30;

/** The window of `doctor`, and of `stats` without `--window`. */
export const DAY_MS = 24 * HOUR_MS;

/**
 * @param open reads the statistics of the folder that `--data-dir` names
 * @returns 0, also with alerts
 * @throws UsageError
 */
export async function stats(
  words: readonly string[],
  open: (dataDir: string | undefined) => Promise<StatsVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, {
    repo: { type: "string" },
    "data-dir": { type: "string" },
    format: { type: "string" },
    json: { type: "boolean" },
    window: { type: "string" },
  });
  if (positionals.length > 0) throw new UsageError(`stats takes no ${JSON.stringify(positionals[0])}`);
  const asJson = values.json === true || oneOf("format", values.format ?? "pretty", ["pretty", "json"]) === "json";
  const word = values.window ?? "24h";
  const ms = milliseconds(word);
  const ports = await open(values["data-dir"]);
  try {
    const repo = values.repo === undefined ? null : await keyOrName(values.repo, ports);
    const figures = await ports.statistics.read({ ms, repo });
    const alerts: readonly RetrievalAlert[] = retrievalAlerts(figures);
    const window = { ms, repo: values.repo ?? null };
    if (asJson) console.log(JSON.stringify({ version: 1, window, ...figures, alerts }, null, 2));
    else console.log(figuresPage(`last ${word}, ${values.repo ?? "all repositories"}`, figures, alerts));
    return 0;
  } finally {
    await ports.close();
  }
}

async function keyOrName(word: string, { repoKeyOf }: StatsVerbPorts): Promise<RepoKey> {
  if (isFolder(word)) return repoKeyOf(word);
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
