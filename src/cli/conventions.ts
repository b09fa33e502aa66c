// kodiai conventions: recurring review comments of a repository, as entries for its .kodiai.yml. Nothing is written.

import type { Convention, Conventions } from "../domain/memory/convention.ts";
import { counted } from "../domain/text/counted.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { findConventions } from "../flows/memory/export-memory.ts";
import { memoryIfAny, repositoryWithMemory } from "../wire/cli/memory.ts";
import { nameOf } from "./find-repository.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, noMore, printJson, readWords, sinceOf, wantsJson, wholeNumber } from "./usage.ts";
import { VERBS } from "./verbs.ts";

const MOST_PULLS = 1_000;

/**
 * @returns 0, also when nothing recurs
 * @throws UsageError; Error when there are no memories of the repository
 */
export async function conventions(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.conventions.options);
  noMore(positionals);
  const asJson = wantsJson(values);
  const recurrence = { least: wholeNumber("min", values.min ?? "3", 2, MOST_PULLS), since: sinceOf(values.since) };
  const ports = await memoryIfAny(values["data-dir"]);
  try {
    const { repo, opened } = await repositoryWithMemory(values.repo, ports);
    const { memory, recall, embedder } = opened;
    const found = await findConventions(repo, recurrence, { memory, recall, space: embedder.space });
    if (asJson) printJson({ repo: nameOf(repo), asked: recurrence, ...found });
    else console.log(conventionsPage(nameOf(repo), found));
    return 0;
  } finally {
    ports.close();
  }
}

const READ_FIRST =
  "Proposed for .kodiai.yml; nothing was written. The text comes from reviewers' comments: read it before you paste it.";

function conventionsPage(repo: string, found: Conventions): string {
  const listed = found.proposed.map((one, at) =>
    [
      `${at + 1}. ${one.name}`,
      `   ${one.told}; ${whereOf(one)}`,
      ...one.examples.map((example) => `   ${exampleOf(example)}`),
    ].join("\n"),
  );
  const yaml = found.yaml === null ? [] : [`${READ_FIRST}\n\n${found.yaml.trimEnd()}`];
  return terminalText([headOf(repo, found), ...listed, ...yaml, ...leftOutOf(found)].join("\n\n"));
}

function headOf(repo: string, { proposed, remarks }: Conventions): string {
  const count = counted(proposed.length, "recurring comment");
  return `${repo}: ${count} among ${counted(remarks, "memory", "memories")} of reviews`;
}

function whereOf({ path, language }: Convention): string {
  return language === null ? path : `${path} (${language})`;
}

function exampleOf({ pull, at, url }: Convention["examples"][number]): string {
  return `#${pull}, ${isoDate(at)}${url === null ? "" : `, ${url}`}`;
}

function leftOutOf({ leftOut }: Conventions): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.map(({ reason, count, name }) =>
    name === null ? `  ${count}: ${reason}` : `  ${count}: ${reason}: ${name}`,
  );
  return [["left out", ...lines].join("\n")];
}
