// kodiai conventions: recurring review comments of a repository, as entries for its .kodiai.yml. Nothing is written.

import type { Convention, Conventions } from "../domain/memory/convention.ts";
import { counted } from "../domain/text/counted.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { findConventions } from "../flows/memory/export-memory.ts";
import { memoryIfAny, repositoryWithMemory } from "../wire/cli/memory.ts";
import { nameOf } from "./find-repository.ts";
import { visible } from "./memory-page.ts";
import { type ExitCode, noMore, oneOf, readWords, sinceOf, wholeNumber } from "./usage.ts";
import { VERBS } from "./verbs.ts";

const FORMATS = ["pretty", "md", "json"] as const;
const MOST_PULLS = 1_000;

/**
 * @returns 0, also when nothing recurs
 * @throws UsageError; Error when there are no memories of the repository
 */
export async function conventions(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.conventions.options);
  noMore(positionals);
  const format = values.json === true ? "json" : oneOf("format", values.format ?? "pretty", FORMATS);
  const recurrence = { least: wholeNumber("min", values.min ?? "3", 2, MOST_PULLS), since: sinceOf(values.since) };
  const ports = await memoryIfAny(values["data-dir"]);
  try {
    const { repo, opened } = await repositoryWithMemory(values.repo, ports);
    const { memory, recall, embedder } = opened;
    const found = await findConventions(repo, recurrence, { memory, recall, space: embedder.space });
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
