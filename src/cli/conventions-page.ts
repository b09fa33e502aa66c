// What recurs in a repository, for a person at a terminal and as Markdown.
import type { Convention, Conventions } from "../domain/memory/convention.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { visible } from "./memory-page.ts";

const READ_FIRST =
  "Proposed for .kodiai.yml; nothing was written. The words are those of whoever commented: read them before you paste them.";

/** For a terminal. */
export function conventionsPage(repo: string, found: Conventions): string {
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

/** For a pull request or an issue: words of others stand in code, where nobody is mentioned and nothing is linked. */
export function conventionsMarkdown(repo: string, found: Conventions): string {
  const rows = found.proposed.map((one) => `- ${one.told}; ${code(whereOf(one))}: ${linksOf(one)}`);
  const yaml = found.yaml === null ? [] : [READ_FIRST, fenced(found.yaml.trimEnd())];
  const left = leftOutOf(found).map((text) => fenced(text, "text"));
  return visible(
    [headOf(code(repo), found), ...(rows.length === 0 ? [] : [rows.join("\n")]), ...yaml, ...left].join("\n\n"),
  );
}

function headOf(repo: string, { proposed, remarks }: Conventions): string {
  const count = proposed.length === 1 ? "1 recurring remark" : `${proposed.length} recurring remarks`;
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

/** On one line, longer ticks around than in it. */
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
