// kodiai conventions: recurring review comments of a repository, as entries for its .kodiai.yml. Nothing is written.

import type { Conventions } from "../../domain/memory/convention.ts";
import { counted } from "../../domain/text/counted.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import { findConventions } from "../../flows/memory/memory-file.ts";
import { memoryIfAny, repositoryWithMemory } from "../../wire/cli/memory.ts";
import { nameOf } from "../find-repository.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, printed, readWords, sinceOf, wantsJson, wholeNumber, withPorts } from "../usage.ts";
import { VERBS } from "../verbs.ts";

const MOST_PULLS = 1_000;

/** @returns 0, also when nothing recurs @throws UsageError; Error when there are no memories of the repository */
export async function conventions(words: readonly string[]): Promise<ExitCode> {
  const { values } = readWords(words, VERBS.conventions.options);
  const asJson = wantsJson(values);
  const recurrence = { least: wholeNumber("min", values.min ?? "3", 2, MOST_PULLS), since: sinceOf(values.since) };
  return withPorts(memoryIfAny(values["data-dir"]), async (ports) => {
    const { repo, opened } = await repositoryWithMemory(values.repo, ports);
    const { memory, recall, embedder } = opened;
    const found = await findConventions(repo, recurrence, { memory, recall, space: embedder.space });
    return printed(asJson, { repo: nameOf(repo), asked: recurrence, ...found }, () =>
      conventionsPage(nameOf(repo), found),
    );
  });
}

const READ_FIRST =
  "Proposed for .kodiai.yml; nothing was written. The text comes from reviewers' comments: read it before you paste it.";

function conventionsPage(repo: string, { proposed, remarks, yaml, leftOut }: Conventions): string {
  const count = counted(proposed.length, "recurring comment");
  const listed = proposed.map(({ name, summary, path, language, examples }, at) =>
    [
      `${at + 1}. ${name}`,
      `   ${summary}; ${path}${language === null ? "" : ` (${language})`}`,
      ...examples.map(({ pull, at: when, url }) => `   #${pull}, ${isoDate(when)}${url === null ? "" : `, ${url}`}`),
    ].join("\n"),
  );
  const rest = leftOut.map(({ reason, count: n, name }) => `  ${n}: ${reason}${name === null ? "" : `: ${name}`}`);
  const parts = [
    `${repo}: ${count} among ${counted(remarks, "memory", "memories")} of reviews`,
    ...listed,
    ...(yaml === null ? [] : [`${READ_FIRST}\n\n${yaml.trimEnd()}`]),
    ...(rest.length === 0 ? [] : [["left out", ...rest].join("\n")]),
  ];
  return terminalText(parts.join("\n\n"));
}
