// Which hunks of a large change are searched with: every file gets its part, and within it what is risky or large comes first.
import type { FileDiff, Hunk } from "../domain/pull-request.ts";
import type { FileFacts, Risk } from "../domain/signals.ts";
import { byScore } from "./tie-order.ts";

/** Hunks of one review: each is an embedding and two searches. */
export const HUNKS = 8;

/** What a risk on one of its lines is worth against size, in doublings of changed lines. */
const RISK_WORTH = 6;
/** How much less a file of this kind matters than source. */
const KIND_COST: Readonly<Record<FileFacts["kind"], number>> = { source: 0, infra: 1, config: 2, test: 2, docs: 4 };

export interface ChosenHunk {
  readonly path: string;
  readonly hunk: Hunk;
}

interface Scored extends ChosenHunk {
  readonly id: string;
  readonly score: number;
}

/**
 * Chooses hunks round by round: the best hunk of each file, best files first, then the second best of each, until there
 * are enough. Only hunks that add or remove something count.
 */
export function chooseHunks(
  files: readonly FileDiff[],
  facts: readonly FileFacts[],
  risks: readonly Risk[],
  most: number = HUNKS,
): readonly ChosenHunk[] {
  const kinds = new Map(facts.map(({ path, kind }) => [path, kind]));
  const places = riskyPlaces(risks);
  const queues = files
    .map((file) => scoredHunks(file, kinds.get(file.path) ?? "source", places.get(file.path)))
    .filter((queue) => queue.length > 0);
  const chosen: ChosenHunk[] = [];
  for (let round = 0; chosen.length < most; round += 1) {
    const heads = queues.flatMap((queue) => queue[round] ?? []).sort(byScore);
    if (heads.length === 0) break;
    chosen.push(...heads.slice(0, most - chosen.length).map(({ path, hunk }) => ({ path, hunk })));
  }
  return chosen;
}

function riskyPlaces(risks: readonly Risk[]): ReadonlyMap<string, ReadonlySet<number | null>> {
  const places = new Map<string, Set<number | null>>();
  for (const { path, line } of risks.flatMap(({ evidence }) => evidence)) {
    const lines = places.get(path) ?? new Set();
    places.set(path, lines.add(line));
  }
  return places;
}

function scoredHunks(
  file: FileDiff,
  kind: FileFacts["kind"],
  risky: ReadonlySet<number | null> | undefined,
): readonly Scored[] {
  return file.hunks
    .map((hunk, index) => {
      const changed = hunk.lines.filter((line) => line.kind !== "context");
      const added = changed.filter((line) => line.kind === "added");
      const onRisk = added.some(({ newLine }) => risky?.has(newLine)) ? 1 : 0;
      const byPath = risky?.has(null) === true ? 0.5 : 0;
      // Added lines tell what is being done now; removed ones tell half as much.
      const size = Math.log2(1 + added.length + (changed.length - added.length) / 2);
      const score = size + RISK_WORTH * (onRisk + byPath) - KIND_COST[kind];
      return { id: `${file.path}\n${index}`, path: file.path, hunk, score, changed: changed.length };
    })
    .filter(({ changed }) => changed > 0)
    .sort(byScore);
}
