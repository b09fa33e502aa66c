// The learned order: a dozen readable weights over signals of change and memory, fitted and cross-validated by repository
// (eval/fit-fusion.ts). Beats the fixed fusion of ranks on the development data with an interval that excludes zero.

import type { MemoryRecord } from "../../domain/memory.ts";
import { BACKGROUND } from "../../domain/text/word-rarity.ts";
import { atOnce, eachOf, type Steps } from "./cooperative-steps.ts";
import { type Signals, signalSteps } from "./features.ts";
import { type ChangeEvidence, type Evidence, type FusedHit, type Fusion, RRF, SHORTLIST } from "./fusion.ts";
import table from "./fusion-table.json" with { type: "json" };
import { type Change, type PreparedChange, prepareChange, prepareMemory } from "./prepare-documents.ts";
import { type Lexicon, lexicon } from "./term-ids.ts";
import { byScore } from "./tie-breaking.ts";

const COMMENTS = table.memory.weights as readonly FusionWeight[];
const BARE_TEXT = table.text.weights as readonly FusionWeight[];
const SIGNALS = new Map(
  [COMMENTS, BARE_TEXT].map((weights) => [weights, new Set(weights.map(({ signal }) => signal))]),
);

/**
 * Its scores hold language, place, recency and likeness already. At most SHORTLIST memories are scored, the best by rank.
 * Memories of which none has a path are weighed by a table of their own, which knows nothing of place.
 */
export const LEARNED: Fusion = {
  name: "learned",
  complete: true,
  fuse: (evidence) => atOnce(fuseSteps(evidence, null)),
  steps: (evidence) => fuseSteps(evidence, null),
  ahead(change) {
    const ready = readyChange(change);
    return { ...LEARNED, steps: (evidence) => fuseSteps(evidence, ready) };
  },
};

/** Memories that are made ready in one step, each split into words: half a millisecond of those that were not met before. */
const PIECE = 25;

/** A change in the words of one search. */
interface ReadyChange {
  readonly words: Lexicon;
  readonly change: PreparedChange;
}

/** Null for a change without a file, which is not weighed. */
function readyChange(evidence: ChangeEvidence): ReadyChange | null {
  if (evidence.context.files.length === 0) return null;
  const words = lexicon();
  return { words, change: prepareChange(changeOf(evidence), words) };
}

function* fuseSteps(evidence: Evidence, ahead: ReadyChange | null): Steps<readonly FusedHit[]> {
  const hits = RRF.fuse(evidence);
  yield;
  // Both tables were fitted on changes. Without a changed file there is only a question, and ranks answer it better.
  const ready = ahead ?? readyChange(evidence);
  if (ready === null) return hits;
  const { words, change } = ready;
  yield;
  const scored = hits.slice(0, SHORTLIST);
  const records = scored.map(({ id }) => evidence.records.get(id));
  const memories = yield* eachOf(records, PIECE, (record, at) =>
    prepareMemory(asComment(record, scored[at]?.id ?? ""), words),
  );
  yield;
  const weights = memories.some(({ path }) => path !== "") ? COMMENTS : BARE_TEXT;
  const signals = yield* signalSteps(change, memories, BACKGROUND, words, SIGNALS.get(weights) ?? null);
  const scores = fuseLearned(signals, memories.length, weights);
  const order = scored.map((hit, at) => ({ ...hit, score: scores[at] ?? 0 })).sort(byScore);
  const lowest = order.at(-1)?.score ?? 0;
  // Beyond the shortlist the ranks decide, below everything that was scored.
  return [...order, ...hits.slice(SHORTLIST).map((hit, at) => ({ ...hit, score: lowest - 1 - at }))];
}

function asComment(record: MemoryRecord | undefined, id: string) {
  return {
    id,
    pr: record?.provenance.pull ?? 0,
    path: record?.path ?? "",
    language: record?.language ?? null,
    text: record?.text ?? "",
    hunk: record?.hunk ?? "",
    createdAt: record?.provenance.at ?? 0,
  };
}

function changeOf({ context, signals, now }: ChangeEvidence): Change {
  const languages = new Map(signals.files.map(({ path, language }) => [path, language]));
  return {
    title: context.pull.title,
    body: context.pull.body ?? "",
    files: context.files.map(({ path, additions, deletions }) => ({
      path,
      language: languages.get(path) ?? null,
      additions,
      deletions,
    })),
    hunks: context.files.flatMap(({ path, hunks }) =>
      hunks.map(({ section, lines }) => {
        const linesOf = (kind: string) => lines.filter((line) => line.kind === kind).map(({ text }) => text);
        return {
          path,
          section,
          addedLines: linesOf("added"),
          removedLines: linesOf("removed"),
          contextLines: linesOf("context"),
        };
      }),
    ),
    now,
  };
}

// Signals to one score by a small table of weights, fitted by eval/fit-fusion.ts.

export interface FusionWeight {
  readonly signal: string;
  /**
   * `within`: distance from the mean of this change's candidates, in standard deviations; `as-is`: shares and yes-no
   * signals, whose size means the same for every change.
   */
  readonly scale: "within" | "as-is";
  readonly weight: number;
}

/**
 * Weighted sum of scaled signals, in units of log-odds between candidates of one change: the scores order, and mean
 * nothing across changes.
 *
 * @returns one score per candidate, in the signals' order; a signal that is absent counts nothing
 */
export function fuseLearned(signals: Signals, size: number, weights: readonly FusionWeight[]): Float64Array {
  const scores = new Float64Array(size);
  for (const { signal, scale, weight } of weights) {
    const values = signals[signal];
    if (values === undefined) continue;
    scaled(values, scale).forEach((value, at) => {
      scores[at] = (scores[at] ?? 0) + weight * value;
    });
  }
  return scores;
}

/** A signal as the weights see it. A signal that is the same for all candidates is 0 `within`. */
export function scaled(values: Float64Array, scale: FusionWeight["scale"]): Float64Array {
  if (scale === "as-is") return values;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) + 1e-6;
  return values.map((value) => (value - mean) / deviation);
}
