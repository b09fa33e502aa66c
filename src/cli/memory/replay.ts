// kodiai replay: whether memory helps a repository: with memory, without, and with a placebo.

import { styleText } from "node:util";
import type { Interval } from "../../domain/figures/bootstrap-interval.ts";
import { REPLAY_ARMS, REPLAY_LEAST, type ReplayFigures, replayFigures } from "../../domain/figures/replay.ts";
import type { Repo } from "../../domain/job.ts";
import { counted } from "../../domain/text/counted.ts";
import { nameOf } from "../../flows/memory/find-repository.ts";
import { type Replayed, replayMemory } from "../../flows/memory/replay-memory.ts";
import { memoryToRead } from "../../wire/cli/memory-ports.ts";
import { terminalText } from "../terminal-text.ts";
import { printed, verb, warnDegraded, wholeNumber, withPorts } from "../usage.ts";

const MOST = 100_000;

/** @returns 0, whether memory helps or not @throws UsageError; Error for an unknown repository */
export const replay = verb("replay", 0, async (values) => {
  const last = wholeNumber("last", values.last ?? "200", 1, MOST);
  return withPorts(memoryToRead(values["data-dir"], values.repo), async ({ repo, ...ports }) => {
    const done = await replayMemory(repo, last, { ...ports, repositories: ports.labels.all });
    if (done.known === 0)
      throw new Error(
        `memory has no pull request of ${nameOf(repo)} with comments; import its comments (kodiai memory import FILE)`,
      );
    warnDegraded("replay", done.degraded);
    return printed(values, replayJson(repo, done), () => replayPage(repo, done));
  });
});

function replayJson(repo: Repo, { pulls, placebo, ...rest }: Replayed) {
  return {
    repo: nameOf(repo),
    ...rest,
    placebo: placebo === null ? null : { repo: nameOf(placebo.repo), memories: placebo.memories },
    all: replayFigures(pulls, placebo !== null),
    pulls,
  };
}

function replayPage(repo: Repo, done: Replayed): string {
  const all = replayFigures(done.pulls, done.placebo !== null);
  const name = terminalText(nameOf(repo));
  return [
    `${styleText("bold", "replay")}  ${name}: ${all.pulls} of ${counted(done.known, "pull request")}, ${counted(all.comments, "comment")} of people`,
    "",
    ...armLines(all, done.placebo !== null),
    "",
    `  ${styleText(all.verdict.helps ? "green" : "yellow", all.verdict.reason)}`,
    "",
    ...noteLines(done, all),
  ].join("\n");
}

function armLines({ arms }: ReplayFigures, hasPlacebo: boolean): readonly string[] {
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

function noteLines({ placebo, language, leftOut, spent }: Replayed, { harmful }: ReplayFigures): readonly string[] {
  const standIn =
    placebo === null
      ? `no placebo: no other repository in memory has ${language} as its main language`
      : `placebo: ${nameOf(placebo.repo)}, ${counted(placebo.memories, "comment")}, main language ${language}`;
  const cost =
    spent.tokens === 0 ? "no tokens, nothing paid" : `${counted(spent.tokens, "token")}, USD ${spent.usd.toFixed(4)}`;
  return [
    standIn,
    "a pull request asks with the code that was commented on, memory as it was before its first comment; a hit is one whose",
    "comments one of the first five memories is like (tf-idf cosine ≥ .20); tokens are those memories in a prompt, estimated",
    `harmful: ${counted(harmful, "declined memory", "declined memories")} like a comment that a person made all the same`,
    `shown to help: the interval of the gain over the placebo lies above 0, and ${REPLAY_LEAST} pull requests or more`,
    `${counted(leftOut.length, "pull request")} left out, as no person commented on them; embedding the questions took ${cost}`,
  ].map((text) => styleText("dim", `  ${terminalText(text)}`));
}

/** `.238 [.201, .275]` */
function share({ mean, low, high }: Interval): string {
  const digits = (value: number) => value.toFixed(3).replace(/^(-?)0\./, "$1.");
  return `${digits(mean)} [${digits(low)}, ${digits(high)}]`;
}

function whole({ mean, low, high }: Interval): string {
  return `${mean.toFixed(0)} [${low.toFixed(0)}, ${high.toFixed(0)}]`;
}
