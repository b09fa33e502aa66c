// kodiai replay: does memory help this repository? Its pull requests once more, with memory, without, and with a placebo.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import type { Repo } from "../domain/job.ts";
import { type ReplayPorts, replayMemory } from "../flows/replay-memory.ts";
import { dataDir } from "./data-dir.ts";
import { nameOf } from "./find-repository.ts";
import { replayJson } from "./replay-json.ts";
import { replayPage } from "./replay-page.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/** What the verb needs of the world. */
export interface ReplayVerbPorts extends ReplayPorts {
  /** The repository that `--repo` names (a folder or OWNER/NAME); undefined is the one here. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
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
  const folder = dataDir(values["data-dir"]);
  // Looking creates no file.
  if (!existsSync(join(folder, "memory.db"))) throw new Error(`there is no memory in ${folder}`);
  const ports = await open(folder);
  try {
    const repo = await ports.repoOf(values.repo);
    const done = await replayMemory({ repo, last }, ports);
    if (done.known === 0)
      throw new Error(
        `memory knows no pull request of ${nameOf(repo)} on which anybody commented; import its comments (kodiai memory import FILE)`,
      );
    for (const { part, reason } of done.degraded)
      console.error(styleText("yellow", terminalText(`kodiai replay: ${part}: ${reason}`), { stream: process.stderr }));
    console.log(asJson ? JSON.stringify(replayJson(repo, done), null, 2) : replayPage(repo, done));
    return 0;
  } finally {
    ports.close();
  }
}

function lastOf(word: string): number {
  const value = /^\d{1,6}$/.test(word) ? Number(word) : 0;
  if (value >= 1 && value <= MOST) return value;
  throw new UsageError(`--last takes a whole number from 1 to ${MOST}, not ${JSON.stringify(word)}`);
}
