// What the default configuration reached last, and whether a run fell below it.
// `eval/baseline.json` is written from results: `npm run eval -- SUITE … --write-baseline`, and
// held by `… --baseline` and by test/eval/baseline.slow.test.ts.
import { readFile, writeFile } from "node:fs/promises";
import type { SuiteResult } from "./suite.ts";

export interface Baseline {
  readonly suite: string;
  readonly task: string | null;
  readonly data: SuiteResult["data"];
  /** Of the run that was written; a later one may differ, that is what is measured. */
  readonly config: SuiteResult["config"];
  /** Of the row `default`; higher is better for each. */
  readonly metrics: Readonly<Record<string, { readonly value: number; readonly low: number; readonly high: number }>>;
}

/** Higher is better, and steady: no times. */
const HELD = /^(mrr|(recall|precision|ndcg|hitRate|pass)@\d+|right)$/;

const FILE = new URL("./baseline.json", import.meta.url);

/**
 * Repositories of five languages whose queries of task G run inside the tests: all 30 take minutes.
 */
export const SAMPLE = [
  "celery/celery",
  "alacritty/alacritty",
  "snyk/cli",
  "Homebrew/brew",
  "octokit/octokit.net",
] as const;

export async function readBaselines(): Promise<readonly Baseline[]> {
  return JSON.parse(await readFile(FILE, "utf8")) as Baseline[];
}

/** @throws Error when the result has no row `default` */
export function baselineOf(suite: string, result: SuiteResult): Baseline {
  const row = result.rows.find(({ name }) => name === "default");
  if (row === undefined) throw new Error(`${suite} has no row "default"`);
  const held = Object.entries(row.metrics).filter(([metric]) => HELD.test(metric));
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  const metrics = held.map(([metric, value]) => {
    const [low, high] = row.ci?.[metric] ?? [value, value];
    return [metric, { value: round(value), low: round(low), high: round(high) }] as const;
  });
  const { data, config, task } = result;
  return { suite, task: task ?? null, data, config, metrics: Object.fromEntries(metrics) };
}

/**
 * What of a result lies below the interval of its baseline; one line each, [] when nothing does. A
 * result without a baseline, or of other data, cannot be held against anything, and that is a line
 * too.
 */
export function fallenBelow(suite: string, result: SuiteResult, baselines: readonly Baseline[]): string[] {
  const now = baselineOf(suite, result);
  const name = now.task === null ? suite : `${suite} ${now.task}`;
  const then = baselines.find((one) => one.suite === now.suite && one.task === now.task);
  if (then === undefined) return [`${name}: has no baseline`];
  if (then.data.fingerprint !== now.data.fingerprint || then.data.n !== now.data.n) {
    return [`${name}: other data (${now.data.fingerprint}) than the baseline's (${then.data.fingerprint})`];
  }
  return Object.entries(then.metrics).flatMap(([metric, { value, low }]) => {
    const reached = now.metrics[metric]?.value ?? Number.NaN;
    // Half a digit of what was rounded away.
    return reached >= low - 5e-5 ? [] : [`${name}: ${metric} ${reached} is below ${low} (baseline ${value})`];
  });
}

/** Puts results in the place of those of the same suite and task. */
export async function writeBaselines(entries: readonly Baseline[]): Promise<void> {
  const key = ({ suite, task }: Baseline) => `${suite} ${task ?? ""}`;
  const known = await readBaselines().catch(() => []);
  const all = new Map([...known, ...entries].map((entry) => [key(entry), entry]));
  const sorted = [...all.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  await writeFile(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
