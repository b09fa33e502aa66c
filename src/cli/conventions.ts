// kodiai conventions: recurring review comments of a repository, as entries for its .kodiai.yml. Nothing is written.

import type { Repo } from "../domain/job.ts";
import type { Convention, Conventions } from "../domain/memory/convention.ts";
import { repoKey } from "../domain/memory.ts";
import { counted } from "../domain/text/counted.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { type ExportPorts, findConventions } from "../flows/memory/export-memory.ts";
import { nameOf, nothingRemembered } from "./find-repository.ts";
import { visible } from "./memory-page.ts";
import { type ExitCode, noMore, oneOf, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** The ports of the command. */
export interface ConventionsVerbPorts {
  /** The data directory, even if it does not exist yet. */
  readonly folder: string;
  readonly known: readonly Repo[];
  /** The repository that `--repo` names (a folder, OWNER/NAME or HOST/ID); for undefined, the current folder's. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** Null without a memory. */
  readonly open: ExportPorts | null;
  readonly close: () => void;
}

const FORMATS = ["pretty", "md", "json"] as const;
/** Twice may be chance. */
const LEAST_PULLS = 3;
const MOST_PULLS = 1_000;

/**
 * @param open opens memory in the folder that `--data-dir` names
 * @returns 0, also when nothing recurs
 * @throws UsageError; Error when there are no memories of the repository
 */
export async function conventions(
  words: readonly string[],
  open: (dataDir: string | undefined) => Promise<ConventionsVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.conventions.options);
  noMore(positionals);
  const format = values.json === true ? "json" : oneOf("format", values.format ?? "pretty", FORMATS);
  const recurrence = { least: leastOf(values.min), since: sinceOf(values.since) };
  const ports = await open(values["data-dir"]);
  try {
    const repo = await ports.repoOf(values.repo);
    const isKnown = ports.known.some((one) => repoKey(one) === repoKey(repo));
    if (!isKnown || ports.open === null) throw new Error(nothingRemembered(nameOf(repo), ports.known, ports.folder));
    const found = await findConventions(repo, recurrence, ports.open);
    console.log(PAGES[format](nameOf(repo), found, recurrence));
    return 0;
  } finally {
    ports.close();
  }
}

type Recurrence = Parameters<typeof findConventions>[1];

const PAGES: Record<(typeof FORMATS)[number], (repo: string, found: Conventions, asked: Recurrence) => string> = {
  pretty: (repo, found) => conventionsPage(repo, found),
  md: (repo, found) => conventionsMarkdown(repo, found),
  json: (repo, found, asked) => JSON.stringify({ version: 1, repo, asked, ...found }, null, 2),
};

function leastOf(word: string | undefined): number {
  if (word === undefined) return LEAST_PULLS;
  const least = Number(word);
  if (/^\d{1,4}$/.test(word) && least >= 2 && least <= MOST_PULLS) return least;
  throw new UsageError(
    `--min takes how many pull requests, a whole number from 2 to ${MOST_PULLS}, not ${JSON.stringify(word)}`,
  );
}

/** Days are in UTC. */
function sinceOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const at = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(`${word}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(at) && new Date(at).toISOString().startsWith(word)) return at;
  throw new UsageError(`--since takes a day such as 2026-03-01, not ${JSON.stringify(word)}`);
}

// Recurring comments of a repository, for a terminal and as Markdown.

const READ_FIRST =
  "Proposed for .kodiai.yml; nothing was written. The text comes from reviewers' comments: read it before you paste it.";

/** For a terminal. */
function conventionsPage(repo: string, found: Conventions): string {
  const listed = found.proposed.map((one, at) =>
    [
      `${at + 1}. ${one.name}`,
      `   ${one.told}; ${whereOf(one)}`,
      ...one.examples.map((example) => `   ${exampleOf(example)}`),
    ].join("\n"),
  );
  const yaml = found.yaml === null ? [] : [`${READ_FIRST}\n\n${found.yaml.trimEnd()}`];
  return visible([headOf(repo, found), ...listed, ...yaml, ...leftOutOf(found)].join("\n\n"));
}

/** For a pull request or an issue: text by others is in code, which mentions and links nothing. */
function conventionsMarkdown(repo: string, found: Conventions): string {
  const rows = found.proposed.map((one) => `- ${one.told}; ${code(whereOf(one))}: ${linksOf(one)}`);
  const yaml = found.yaml === null ? [] : [READ_FIRST, fenced(found.yaml.trimEnd())];
  const left = leftOutOf(found).map((text) => fenced(text, "text"));
  return visible(
    [headOf(code(repo), found), ...(rows.length === 0 ? [] : [rows.join("\n")]), ...yaml, ...left].join("\n\n"),
  );
}

function headOf(repo: string, { proposed, remarks }: Conventions): string {
  const count = counted(proposed.length, "recurring comment");
  return `${repo}: ${count} among ${remarks} memories of reviews`;
}

function whereOf({ path, language }: Convention): string {
  return language === null ? path : `${path} (${language})`;
}

function exampleOf({ pull, at, url }: Convention["examples"][number]): string {
  return `#${pull}, ${isoDate(at)}${url === null ? "" : `, ${url}`}`;
}

function linksOf({ examples }: Convention): string {
  return examples.map((example) => code(exampleOf(example))).join(", ");
}

function leftOutOf({ leftOut }: Conventions): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.map(({ reason, count, name }) =>
    name === null ? `  ${count}: ${reason}` : `  ${count}: ${reason}: ${name}`,
  );
  return [["left out", ...lines].join("\n")];
}

/** On one line, with a delimiter longer than any run of backticks inside. */
function code(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  const padded = /^`|`$/.test(text) ? ` ${text} ` : text;
  return `${ticks}${padded}${ticks}`;
}

function fenced(text: string, language = "yaml"): string {
  const ticks = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${ticks}${language}\n${text}\n${ticks}`;
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
