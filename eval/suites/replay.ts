// Would memory have helped with what people said later? Pull requests in time order, memory frozen
// at each one's date, with the repository's own memory (`on`), without any (`off`), and with
// another repository's (`placebo`). `--repos A/B,C/D`.

import { defaultKnowledge } from "../../src/config/knowledge.ts";
import {
  type ArmTally,
  armFigures,
  gainOverPlacebo,
  REPLAY_ARMS,
  type ReplayArm,
  type ReplayedPull,
  replayVerdict,
  type ShownMemory,
  tallyArm,
} from "../../src/domain/figures/replay.ts";
import { canonicalLanguage } from "../../src/domain/language.ts";
import { DELIMITER_CHARS, precedentEntries } from "../../src/domain/memory/precedent-section.ts";
import { isDeclined } from "../../src/domain/memory/read-reply.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { textVectors } from "../../src/domain/text/text-likeness.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { readJudged } from "../judged-data.ts";
import { type HistoryPull, historyOf } from "../replay-data.ts";
import { type Arm, questionOf, runRetrieval } from "../run-retrieval.ts";
import type { Row, Suite } from "../suite.ts";
import { type TemporaryStore, withStore } from "../temporary-store.ts";

/** The section of the prompt by default. */
const SECTION = {
  maxChars: defaultKnowledge().retrieval.maxContextChars,
  delimiter: "=".repeat(DELIMITER_CHARS),
};
const ON: Arm = { name: "on" };
const OFF: Arm = { name: "off", retrieval: { enabled: false } };
/** No pull request of the placebo is left out for having the same number. */
const NO_PULL = 0;
/** Repositories that are also shown by themselves: those with the most pull requests replayed. */
const LARGEST = 5;
/** Pull requests of a language that has rows of its own. */
const LEAST = 10;
const NOTHING: ArmTally = { met: 0, shown: 0, useful: 0, harmful: 0, tokens: 0 };

type Vectors = ReturnType<typeof textVectors>;

interface Replayed extends ReplayedPull {
  readonly repo: string;
  readonly unfrozen: ArmTally;
  readonly memories: HistoryPull["memories"];
}

export const suite: Suite = async ({ data, flags }) => {
  const repos = flags.get("repos");
  const judged = await readJudged(data);
  const history = historyOf(judged, repos === undefined ? null : new Set(repos.split(",")));
  const vectors = textVectors(judged.corpus.map(({ text }) => text));
  return withStore(async (store) => {
    await store.importLines(judged.corpus.map((row) => JSON.stringify(row)));
    const pulls: Replayed[] = [];
    for (const pull of history.pulls) pulls.push(await replayed(pull, store, vectors));
    const largest = largestOf(pulls);
    const groups = [...Map.groupBy(pulls, ({ language }) => language)].sort(([, a], [, b]) => b.length - a.length);
    const languages = groups.filter(([, list]) => list.length >= LEAST);
    return {
      data: { n: pulls.length, fingerprint: judged.fingerprint },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows: [
        ...REPLAY_ARMS.map((arm) => rowOf(arm, pulls, arm)),
        ...unfrozenRow(pulls),
        ...REPLAY_ARMS.map((arm) => rowOf(`${arm}, five largest`, largest, arm)),
        ...languages.flatMap(([language, list]) => [
          rowOf(`on, ${language}`, list, "on"),
          rowOf(`placebo, ${language}`, list, "placebo"),
        ]),
      ],
      printIntervals: ["hitRate", "difference"],
      notes: notesOf(pulls, largest, history.leftOut, languages),
    };
  });
};

async function replayed(pull: HistoryPull, store: TemporaryStore, vectors: Vectors): Promise<Replayed> {
  const { query, placebo, language, memories } = pull;
  const comments = pull.comments.map(vectors);
  const ask = async (question: HistoryPull["query"], arm: Arm) => {
    const { precedents } = await runRetrieval(questionOf(question), arm, store);
    return tallyArm(shownOf(precedents, query.repo, vectors), comments);
  };
  const elsewhere = placebo === null ? null : { ...query, repo: placebo, pr: NO_PULL };
  return {
    ...{ pull: query.pr, repo: query.repo, language: canonicalLanguage(language), comments: comments.length, memories },
    arms: {
      on: await ask(query, ON),
      off: await ask(query, OFF),
      placebo: elsewhere === null ? NOTHING : await ask(elsewhere, ON),
    },
    unfrozen: elsewhere === null ? NOTHING : await ask({ ...elsewhere, before: null }, ON),
  };
}

function shownOf({ ranked }: Precedents, repo: string, vectors: Vectors): ShownMemory[] {
  const sent = precedentEntries(ranked, { ...SECTION, repo });
  return ranked.slice(0, 5).map((memory, at) => ({
    vector: vectors(memory.record.text),
    isDeclined: isDeclined(memory.record),
    // About four characters make a token.
    tokens: Math.ceil((sent[at]?.length ?? 0) / 4),
  }));
}

function largestOf(pulls: readonly Replayed[]): readonly Replayed[] {
  const byRepo = [...Map.groupBy(pulls, ({ repo }) => repo)];
  const most = byRepo.sort(([a, n], [b, m]) => m.length - n.length || (a < b ? -1 : 1)).slice(0, LARGEST);
  return most.flatMap(([, list]) => list);
}

function rowOf(name: string, pulls: readonly ReplayedPull[], arm: ReplayArm): Row {
  const all = armFigures(pulls, arm);
  const ci = Object.entries(all).map(([metric, { low, high }]) => [metric, [low, high] as const] as const);
  const gain = gainOverPlacebo(pulls);
  return {
    name,
    n: pulls.length,
    metrics: Object.fromEntries(Object.entries(all).map(([metric, { mean }]) => [metric, mean])),
    ci: { ...Object.fromEntries(ci), ...(arm === "on" ? { difference: [gain.low, gain.high] as const } : {}) },
    ...(arm === "on" ? { remark: replayVerdict(pulls, gain).reason } : {}),
  };
}

/**
 * The placebo with all that it ever remembered: larger than memory that is frozen, so harder to
 * beat.
 */
function unfrozenRow(pulls: readonly Replayed[]): Row[] {
  const list = pulls.map((pull) => ({ ...pull, arms: { ...pull.arms, placebo: pull.unfrozen } }));
  const gain = gainOverPlacebo(list);
  return [
    { ...rowOf("placebo, not frozen", list, "placebo"), remark: `on against it: ${replayVerdict(list, gain).reason}` },
  ];
}

function notesOf(
  pulls: readonly Replayed[],
  largest: readonly Replayed[],
  leftOut: readonly string[],
  languages: readonly (readonly [string, readonly ReplayedPull[]])[],
): string[] {
  const comments = pulls.reduce((sum, one) => sum + one.comments, 0);
  const sum = (of: (one: Replayed) => number) => pulls.reduce((total, one) => total + of(one), 0);
  const mean = (of: (one: Replayed) => number) => (sum(of) / Math.max(1, pulls.length)).toFixed(0);
  const helped = languages.filter(([, list]) => replayVerdict(list, gainOverPlacebo(list)).helps);
  return [
    `${comments} later comments of people on ${pulls.length} pull requests; left out: ${leftOut.join("; ")}`,
    "hitRate: share of pull requests of which a later comment is met: one of the first five memories has tf-idf cosine ≥ .20 to it",
    "harmful: share of shown memories that a reply turned down and that are like a comment which a person did make later",
    `five largest: ${[...new Set(largest.map(({ repo }) => repo))].join(", ")}`,
    `memories at that date, mean: on ${mean(({ memories }) => memories.on)}, placebo ${mean(({ memories }) => memories.placebo)}; ` +
      `without a placebo: ${pulls.filter(({ memories }) => memories.placebo === 0).length} pull requests`,
    `harmful: on ${sum(({ arms }) => arms.on.harmful)} of ${sum(({ arms }) => arms.on.shown)} shown`,
    `in languages with fewer than ${LEAST} pull requests: ${pulls.length - languages.reduce((all, [, list]) => all + list.length, 0)}`,
    `shown to help: ${helped.map(([language]) => language).join(", ") || "no language"}`,
  ];
}
