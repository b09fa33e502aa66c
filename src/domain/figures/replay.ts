// Would memory have anticipated what people commented later? Compares past pull requests with the
// repository's memory, without memory, and with another repository's memory, and draws a
// conclusion.

import { UNKNOWN_LANGUAGE } from "../language.ts";
import { counted } from "../text/counted.ts";
import { cosine, type TextVector } from "../text/text-likeness.ts";
import { bootstrapShare, type Interval } from "./bootstrap-interval.ts";

/** on: the repository's own memory. off: none. placebo: the memory of another repository. */
export const REPLAY_ARMS = ["on", "off", "placebo"] as const;
export type ReplayArm = (typeof REPLAY_ARMS)[number];

/** Memories of a list that are judged. */
export const REPLAY_TOP = 5;

/** A comment is met when a memory has at least this tf-idf cosine to it. */
const MET = 0.2;

/** Fewer pull requests than this show nothing. */
export const REPLAY_LEAST = 20;

/** A memory that the review would have shown. */
export interface ShownMemory {
  readonly vector: TextVector;
  readonly isDeclined: boolean;
  /** In a prompt, estimated. */
  readonly tokens: number;
}

/** The result of showing up to five memories for one pull request. */
export interface ArmTally {
  /** Later comments that a shown memory resembles. */
  readonly met: number;
  readonly shown: number;
  /** Shown memories that resemble a later comment. */
  readonly useful: number;
  /**
   * Useful memories that a person had declined. Had the decline suppressed everything similar, it
   * would have suppressed a comment that a person did make. An upper bound: real declines suppress
   * less (see ArmFigures.harmful).
   */
  readonly harmful: number;
  readonly tokens: number;
}

export interface ReplayedPull {
  readonly pull: number;
  /** Canonical id of the language of most comments, or `unknown`. */
  readonly language: string;
  /** Later comments by people. */
  readonly comments: number;
  readonly arms: Readonly<Record<ReplayArm, ArmTally>>;
}

/** @param comments later comments of people, at least one */
export function tallyArm(memories: readonly ShownMemory[], comments: readonly TextVector[]): ArmTally {
  const shown = memories.slice(0, REPLAY_TOP);
  const useful = shown.filter(({ vector }) => comments.some((comment) => cosine(vector, comment) >= MET));
  return {
    met: comments.filter((comment) => shown.some(({ vector }) => cosine(vector, comment) >= MET)).length,
    shown: shown.length,
    useful: useful.length,
    harmful: useful.filter(({ isDeclined }) => isDeclined).length,
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** Figures of one arm, each with a 95 % interval over whole pull requests; shares are 0–1. */
export function armFigures(pulls: readonly ReplayedPull[], arm: ReplayArm) {
  const share = (part: (tally: ArmTally, pull: ReplayedPull) => readonly [number, number]) =>
    bootstrapShare(pulls.map((pull) => part(pull.arms[arm], pull)));
  return {
    /** Share of pull requests with at least one later comment met. */
    hitRate: share(({ met }) => [met > 0 ? 1 : 0, 1]),
    commentsMet: share(({ met }, { comments }) => [met, comments]),
    /** Share of shown memories that were declined and resemble a later comment. */
    harmful: share(({ harmful, shown }) => [harmful, shown]),
    precisionAt5: share(({ useful }) => [useful, REPLAY_TOP]),
    /** Per pull request. */
    tokens: share(({ tokens }) => [tokens, 1]),
  };
}

/** Hit rate with memory minus hit rate with the placebo, over the same pull requests. */
export function gainOverPlacebo(pulls: readonly ReplayedPull[]): Interval {
  const hit = ({ met }: ArmTally) => (met > 0 ? 1 : 0);
  return bootstrapShare(pulls.map(({ arms }) => [hit(arms.on) - hit(arms.placebo), 1]));
}

/**
 * Whether memory was shown to help, and why. Too few pull requests, or a difference that may be
 * zero, is "not shown": never "does not help".
 */
export function replayVerdict(pulls: readonly ReplayedPull[], gain: Interval) {
  const not = (why: string) => ({ helps: false, reason: `not shown to help here: ${why}` });
  if (pulls.length < REPLAY_LEAST) return not(`${counted(pulls.length, "pull request")}, ${REPLAY_LEAST} are wanted`);
  const interval = `[${gain.low.toFixed(3)}, ${gain.high.toFixed(3)}]`;
  if (gain.low <= 0) return not(`the gain over the placebo may be none ${interval}`);
  return { helps: true, reason: `helps here: ${gain.mean.toFixed(3)} more than the placebo ${interval}` };
}

/** The most frequent language by canonical id; ties by name. */
export function mostOf(languages: Iterable<readonly [string, number]>): string {
  const counts = new Map<string, number>();
  for (const [language, count] of languages)
    if (language !== UNKNOWN_LANGUAGE) counts.set(language, (counts.get(language) ?? 0) + count);
  const [first] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? UNKNOWN_LANGUAGE;
}

/** What choosing a placebo needs of a repository. */
export interface PlaceboCandidate {
  readonly key: string;
  /** Canonical id of its main language. */
  readonly language: string;
  readonly memories: number;
}

/** Another repository of the same main language with the nearest number of memories, or null. */
export function placeboFor<T extends PlaceboCandidate>(of: PlaceboCandidate, candidates: readonly T[]): T | null {
  const far = ({ memories }: PlaceboCandidate) => Math.abs(memories - of.memories);
  const [nearest] = candidates
    .filter(({ key, language, memories }) => key !== of.key && language === of.language && memories > 0)
    .toSorted((a, b) => far(a) - far(b) || (a.key < b.key ? -1 : 1));
  return nearest ?? null;
}

export type ReplayFigures = ReturnType<typeof replayFigures>;

const NO_PLACEBO = {
  helps: false,
  reason: "not shown to help here: no other repository in memory has the same main language, so there is no placebo",
};

/**
 * The figures of pull requests. `harmful` counts shown memories that were declined and resemble a
 * later comment; `gain` is the hit rate of `on` minus `placebo`.
 */
export function replayFigures(pulls: readonly ReplayedPull[], hasPlacebo: boolean) {
  const gain = hasPlacebo ? gainOverPlacebo(pulls) : null;
  const sum = (of: (pull: ReplayedPull) => number) => pulls.reduce((total, pull) => total + of(pull), 0);
  const figures = (arm: ReplayArm) => armFigures(pulls, arm);
  return {
    pulls: pulls.length,
    comments: sum(({ comments }) => comments),
    harmful: sum(({ arms }) => arms.on.harmful),
    arms: { on: figures("on"), off: figures("off"), placebo: figures("placebo") },
    gain,
    verdict: gain === null ? NO_PLACEBO : replayVerdict(pulls, gain),
  };
}
