// A replay for a person at a terminal: one table for all pull requests, one line a language, and how to read them.
import { styleText } from "node:util";
import type { Interval } from "../domain/figures/bootstrap-interval.ts";
import {
  REPLAY_ARMS,
  REPLAY_LEAST,
  type ReplayFigures,
  type ReplayGroup,
  replayFigures,
} from "../domain/figures/replay.ts";
import type { Repo } from "../domain/job.ts";
import type { Replayed } from "../flows/memory/replay-memory.ts";
import { nameOf } from "./find-repository.ts";
import { terminalText } from "./terminal-text.ts";

/** @returns text with ANSI colours where standard output is a terminal that wants them */
export function replayPage(repo: Repo, done: Replayed): string {
  const figures = replayFigures(done.pulls, done.placebo !== null);
  const { all } = figures;
  const name = terminalText(nameOf(repo));
  return [
    `${styleText("bold", "replay")}  ${name}: ${all.pulls} of ${done.known} pull requests, ${all.comments} comments of people`,
    "",
    ...armLines(all, done.placebo !== null),
    "",
    `  ${styleText(all.verdict.helps ? "green" : "yellow", all.verdict.reason)}`,
    ...languageLines(figures),
    "",
    ...noteLines(done, all),
  ].join("\n");
}

function armLines({ arms }: ReplayGroup, hasPlacebo: boolean): readonly string[] {
  const head = ["", "hit rate", "comments met", "useful of 5", "harmful", "tokens"];
  const shown = REPLAY_ARMS.filter((arm) => arm !== "placebo" || hasPlacebo);
  const rows = shown.map((arm) => {
    const { hitRate, commentsMet, precisionAt5, harmful, tokens } = arms[arm];
    return [arm, ...[hitRate, commentsMet, precisionAt5, harmful].map(share), whole(tokens)];
  });
  const widths = head.map((text, at) => Math.max(text.length, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]) => `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`;
  return [styleText("cyan", line(head).trimEnd()), ...rows.map((row) => line(row).trimEnd())];
}

function languageLines({ byLanguage }: ReplayFigures): readonly string[] {
  if (byLanguage.length < 2) return [];
  const width = Math.max(...byLanguage.map(({ language }) => language.length));
  return [
    "",
    ...byLanguage.map(
      ({ language, pulls, arms, gain, verdict }) =>
        `  ${terminalText(language.padEnd(width))}  ${String(pulls).padStart(4)}  hit rate ${share(arms.on.hitRate)}` +
        `${gain === null ? "" : `, over the placebo ${share(gain)}`}  ${verdict.helps ? "helps" : "not shown to help"}`,
    ),
  ];
}

function noteLines({ placebo, language, leftOut, spent }: Replayed, { harmful }: ReplayGroup): readonly string[] {
  const standIn =
    placebo === null
      ? `no placebo: no other repository in memory has ${language} as its main language`
      : `placebo: ${nameOf(placebo.repo)}, ${placebo.memories} comments, main language ${language}`;
  const cost = spent.tokens === 0 ? "no tokens, nothing paid" : `${spent.tokens} tokens, USD ${spent.usd.toFixed(4)}`;
  return [
    standIn,
    "a pull request asks with the code that was commented on, memory as it was before its first comment; a hit is one whose",
    "comments one of the first five memories is like (tf-idf cosine ≥ .20); tokens are those memories in a prompt, estimated",
    `harmful: ${harmful} memories that somebody turned down, like a comment that a person made all the same`,
    `shown to help: the interval of the gain over the placebo lies above 0, and ${REPLAY_LEAST} pull requests or more`,
    `${leftOut.length} pull requests left out, as no person commented on them; embedding the questions took ${cost}`,
  ].map((text) => styleText("dim", `  ${terminalText(text)}`));
}

/** `.238 [.201, .275]` */
function share({ mean, low, high }: Interval): string {
  return `${digits(mean)} [${digits(low)}, ${digits(high)}]`;
}

function digits(value: number): string {
  return value.toFixed(3).replace(/^(-?)0\./, "$1.");
}

function whole({ mean, low, high }: Interval): string {
  return `${mean.toFixed(0)} [${low.toFixed(0)}, ${high.toFixed(0)}]`;
}
