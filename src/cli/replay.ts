// kodiai replay: does memory help this repository? Its pull requests once more, with memory, without, and with a placebo.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { replayFigures } from "../domain/figures/replay.ts";
import { ENOUGH_PULLS, GOOD_FOR_DAYS, noGain, type ReplayResult } from "../domain/figures/replay-result.ts";
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import { type Replayed, type ReplayPorts, replayMemory } from "../flows/memory/replay-memory.ts";
import type { Replays } from "../ports/memory.ts";
import { isDatabase, storePlace } from "./data-dir.ts";
import { nameOf } from "./find-repository.ts";
import { replayJson } from "./replay-json.ts";
import { replayPage } from "./replay-page.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/** What the verb needs of the world. */
export interface ReplayVerbPorts extends ReplayPorts {
  /** The repository that `--repo` names (a folder or OWNER/NAME); undefined is the one here. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** Where the result is kept, for the gate of later reviews. */
  readonly replays: Pick<Replays, "save"> | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => void;
}

const LAST = 200;
const MOST = 100_000;

/**
 * @param open opens memory in the folder that `--data-dir` names
 * @returns 0, whether memory helps or not
 * @throws UsageError; Error when memory knows no pull request of the repository
 */
export async function replay(
  words: readonly string[],
  open: (dataDir: string | undefined) => Promise<ReplayVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, {
    repo: { type: "string" },
    last: { type: "string" },
    "data-dir": { type: "string" },
    format: { type: "string" },
    json: { type: "boolean" },
  });
  if (positionals.length > 0) throw new UsageError(`replay takes no ${JSON.stringify(positionals[0])}`);
  const asJson = values.json === true || oneOf("format", values.format ?? "pretty", ["pretty", "json"]) === "json";
  const last = values.last === undefined ? LAST : lastOf(values.last);
  const place = storePlace(values["data-dir"]);
  // Looking creates no file.
  if (!isDatabase(place) && !existsSync(join(place, "memory.db"))) throw new Error(`there is no memory in ${place}`);
  const ports = await open(values["data-dir"]);
  try {
    const repo = await ports.repoOf(values.repo);
    const done = await replayMemory({ repo, last }, ports);
    if (done.known === 0)
      throw new Error(
        `memory knows no pull request of ${nameOf(repo)} on which anybody commented; import its comments (kodiai memory import FILE)`,
      );
    const kept = await keep(repo, done, ports);
    for (const { part, reason } of done.degraded)
      console.error(styleText("yellow", terminalText(`kodiai replay: ${part}: ${reason}`), { stream: process.stderr }));
    console.log(
      asJson
        ? JSON.stringify(replayJson(repo, done), null, 2)
        : `${replayPage(repo, done)}\n${keptLine(kept, ports.now())}`,
    );
    return 0;
  } finally {
    ports.close();
  }
}

/** @returns what was kept; null where only the newest few were looked at, which says little about the repository */
async function keep(repo: Repo, done: Replayed, ports: ReplayVerbPorts): Promise<ReplayResult | null> {
  const isWhole = done.pulls.length >= ENOUGH_PULLS || done.pulls.length + done.leftOut.length === done.known;
  if (!isWhole) return null;
  const result = replayResult(done, ports);
  await ports.replays?.save(repoKey(repo), result);
  return result;
}

function replayResult({ pulls, placebo }: Replayed, { embedder, now }: ReplayVerbPorts): ReplayResult {
  const { all } = replayFigures(pulls, placebo !== null);
  return {
    at: now(),
    pulls: all.pulls,
    comments: all.comments,
    on: all.arms.on.hitRate.mean,
    placebo: placebo === null ? null : all.arms.placebo.hitRate.mean,
    gain: all.gain,
    model: embedder.space.model,
  };
}

/** What later reviews make of it. */
function keptLine(kept: ReplayResult | null, now: number): string {
  const effect =
    kept === null
      ? `not kept: fewer than ${ENOUGH_PULLS} of the pull requests that memory knows`
      : noGain(kept, now, kept.model) === null
        ? `kept for ${GOOD_FOR_DAYS} days; reviews search memory as before`
        : `kept for ${GOOD_FOR_DAYS} days: reviews do not search memory unless a change is risky or somebody asks (knowledge.retrieval.gate.replay)`;
  return styleText("dim", `  ${effect}`);
}

function lastOf(word: string): number {
  const value = /^\d{1,6}$/.test(word) ? Number(word) : 0;
  if (value >= 1 && value <= MOST) return value;
  throw new UsageError(`--last takes a whole number from 1 to ${MOST}, not ${JSON.stringify(word)}`);
}
