// What a search by hand found, for a person at a terminal.
import { styleText } from "node:util";
import type { Repo } from "../domain/job.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { HandSearched } from "../flows/memory/search-memory.ts";
import { memoryLines } from "./memory-lines.ts";
import { terminalText } from "./terminal-text.ts";

/** @returns text with ANSI colours where standard output is a terminal that wants them */
export function foundPage(repo: Repo, { memories, searches }: HandSearched): string {
  const several = searches.length > 1;
  const blocks = memories.flatMap(({ memory, score, text }, index) => [
    ...memoryLines(memory, index + 1, score.toFixed(2)),
    ...(several ? [styleText("dim", `   found by ${JSON.stringify(terminalText(text))}`)] : []),
    "",
  ]);
  const name = terminalText(`${repo.owner}/${repo.name}`);
  return [...blocks, ...searches.map((one) => summary(name, one, several))].join("\n");
}

function summary(name: string, { text, ms, precedents }: HandSearched["searches"][number], several: boolean): string {
  const { provenance, ranked, cut } = precedents;
  const of = several ? `${JSON.stringify(terminalText(text))}: ` : "";
  const threshold =
    provenance.method === "keyword"
      ? ""
      : `, distance at most ${provenance.threshold.toFixed(2)} (${provenance.thresholdMethod})`;
  return styleText(
    "dim",
    `${of}${ranked.length} of ${provenance.totalCandidates} candidates among ${provenance.scanned ?? "?"} memories of ${name}, ` +
      `${provenance.method}${threshold}, ${cut.length} cut, ${ms} ms${spent(precedents)}`,
  );
}

function spent({ usage }: Precedents): string {
  if (usage.cached > 0) return ", from the cache";
  return usage.tokens === 0 ? "" : `, ${usage.tokens} tokens`;
}
