// kodiai import: turns a repository's past reviews into memory, with progress.

import type { Repo } from "../domain/job.ts";
import type { HistoryProgress, HistoryTally } from "../domain/memory/past-reviews.ts";
import { type HistoryPorts, type HistoryRun, importHistory } from "../flows/repository/import-history.ts";
import { apiUrlFor } from "./api-url.ts";
import { nameOf } from "./find-repository.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, noMore, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** The ports of the command. */
export interface HistoryVerbPorts extends HistoryPorts {
  readonly repo: Repo;
  readonly close: () => void;
}

/** The repository to import, with which token, into which folder. */
export interface HistoryWords {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly token: string;
  readonly apiUrl: string;
  readonly dataDir: string | undefined;
  readonly isDry: boolean;
}

/** Pull requests whose reviews are read by default: each takes a request. */
const PULLS = 1_000;

/**
 * @param open reads the repository and opens memory
 * @returns 0, also when a rate limit interrupted it: the same command resumes there
 * @throws UsageError
 */
export async function importPast(
  words: readonly string[],
  open: (words: HistoryWords) => Promise<HistoryVerbPorts>,
  token: () => string = tokenOf,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.import.options);
  const [repository, ...more] = positionals;
  if (repository === undefined) throw new UsageError("name the repository: kodiai import OWNER/NAME");
  noMore(more);
  const limit = limitOf(values.limit);
  const since = sinceOf(values.since);
  const isDry = values["dry-run"] === true;
  const named = { ...readName(repository), token: token(), dataDir: values["data-dir"], isDry };
  const ports = await open({ ...named, apiUrl: apiUrlFor(named.host) });
  const asJson = values.json === true || values.format === "json";
  try {
    const { repo } = ports;
    const request = {
      repo,
      since,
      limit: { comments: limit, pulls: limit ?? PULLS },
      most: null,
      ownLogin: null,
      at: Date.now,
    };
    const show = progressLine(repo);
    const done = await importHistory(request, ports, show.update);
    show.end();
    if (asJson) console.log(JSON.stringify({ version: 1, dryRun: isDry, ...done }, null, 2));
    else console.log(report(repo, done, isDry));
    return 0;
  } finally {
    ports.close();
  }
}

function limitOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const limit = Number(word);
  if (!(Number.isSafeInteger(limit) && limit > 0)) throw new UsageError("--limit takes a whole number above 0");
  return limit;
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{5,12}Z)?$/;

function sinceOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const at = DATE.test(word) ? Date.parse(word) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--since takes a date such as 2026-01-31, not ${JSON.stringify(word)}`);
  return at;
}

const NAME = /^(?:https?:\/\/([^/\s]{1,250})\/)?([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/;

function readName(word: string): Pick<HistoryWords, "host" | "owner" | "name"> {
  const match = NAME.exec(word);
  if (match === null) throw new UsageError(`${JSON.stringify(word)} is not OWNER/NAME`);
  const [, host, owner = "", name = ""] = match;
  const usual = URL.parse(process.env.GITHUB_SERVER_URL ?? "")?.host ?? "github.com";
  return { host: host?.toLowerCase() ?? usual, owner, name };
}

function tokenOf(): string {
  const token = process.env.GITHUB_TOKEN ?? "";
  if (token === "") throw new UsageError("set GITHUB_TOKEN to read past reviews; it needs to read pull requests only");
  return token;
}

const STAGES: Readonly<Record<HistoryProgress["stage"], string>> = {
  lines: "comments on lines",
  torn: "torn threads",
  conversation: "conversations",
  reviews: "reviews",
  done: "done",
};

/** One line that is overwritten on a terminal; elsewhere one line for each stage, so that logs stay short. */
function progressLine(repo: Repo): { update(progress: HistoryProgress): void; end(): void } {
  const { stderr } = process;
  let shown: HistoryProgress["stage"] | null = null;
  return {
    update(progress) {
      if (!stderr.isTTY && progress.stage === shown) return;
      shown = progress.stage;
      const line = `${nameOf(repo)}: ${STAGES[progress.stage]}, ${progress.tally.comments} comments read, ${held(progress.tally)} remembered`;
      stderr.write(stderr.isTTY ? `\r\u001b[K${terminalText(line)}` : `${terminalText(line)}\n`);
    },
    end: () => void (stderr.isTTY && shown !== null && stderr.write("\r\u001b[K")),
  };
}

function held({ added, updated, unchanged }: HistoryTally): number {
  return added + updated + unchanged;
}

function report(repo: Repo, { progress, stopped }: HistoryRun, isDry: boolean): string {
  const { tally } = progress;
  const { comments, added, updated, unchanged, refused } = tally;
  const worth = tally.byOutcome.reduce((sum, [, count]) => sum + count, 0);
  const result = isDry
    ? `${worth} memories found, nothing was stored`
    : `${added} added, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
  const lines = [
    `${nameOf(repo)}: ${comments} comments read: ${result}`,
    `  by language: ${counts(tally.byLanguage)}`,
    `  by outcome: ${counts(tally.byOutcome)}`,
    ...mostFirst(tally.leftOut).map(([reason, count]) => `  left out: ${count} × ${reason}`),
    ...mostFirst(tally.degraded).map(([reason, count]) => `  incomplete: ${count} × ${reason}`),
    ...(tally.usd > 0 ? [`  embedding cost USD ${tally.usd.toFixed(4)}`] : []),
  ];
  if (stopped === null) return terminalLines(lines);
  const when = stopped.until === null ? "later" : `after ${new Date(stopped.until).toISOString().slice(11, 16)} UTC`;
  lines.push(
    `  not finished: the last fifth of this hour's GitHub requests is reserved; run it again ${when} to resume`,
  );
  return terminalLines(lines);
}

function terminalLines(lines: readonly string[]): string {
  return lines.map(terminalText).join("\n");
}

function mostFirst<Word extends string>(counted: readonly (readonly [Word, number])[]) {
  return counted.toSorted(([, a], [, b]) => b - a);
}

function counts(counted: readonly (readonly [string, number])[]): string {
  const words = mostFirst(counted).map(([word, count]) => `${word} ${count}`);
  return words.length === 0 ? "none" : words.join(", ");
}
