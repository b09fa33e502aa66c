// What a replay comes to: the figures of each arm, for all pull requests and by language, and what may be concluded.
import type { Interval } from "./interval.ts";
import {
  type ArmFigures,
  armFigures,
  gainOverPlacebo,
  REPLAY_ARMS,
  type ReplayArm,
  type ReplayedPull,
  type ReplayVerdict,
  replayVerdict,
} from "./replay.ts";

/** Some pull requests together. */
export interface ReplayGroup {
  readonly pulls: number;
  readonly comments: number;
  /** Shown memories that were turned down and are like a later comment. */
  readonly harmful: number;
  readonly arms: Readonly<Record<ReplayArm, ArmFigures>>;
  /** Hit rate of `on` minus `placebo`; null where there is no placebo. */
  readonly gain: Interval | null;
  readonly verdict: ReplayVerdict;
}

export interface ReplayFigures {
  readonly all: ReplayGroup;
  /** Most pull requests first. */
  readonly byLanguage: readonly (ReplayGroup & { readonly language: string })[];
}

const NO_PLACEBO: ReplayVerdict = {
  helps: false,
  reason: "not shown to help here: no other repository in memory has the same main language, so there is no placebo",
};

export function replayFigures(pulls: readonly ReplayedPull[], hasPlacebo: boolean): ReplayFigures {
  const groups = [...Map.groupBy(pulls, ({ language }) => language)];
  return {
    all: groupOf(pulls, hasPlacebo),
    byLanguage: groups
      .map(([language, list]) => ({ language, ...groupOf(list, hasPlacebo) }))
      .sort((a, b) => b.pulls - a.pulls || (a.language < b.language ? -1 : 1)),
  };
}

function groupOf(pulls: readonly ReplayedPull[], hasPlacebo: boolean): ReplayGroup {
  const gain = hasPlacebo ? gainOverPlacebo(pulls) : null;
  const sum = (of: (pull: ReplayedPull) => number) => pulls.reduce((total, pull) => total + of(pull), 0);
  const [on, off, placebo] = REPLAY_ARMS.map((arm) => armFigures(pulls, arm)) as [ArmFigures, ArmFigures, ArmFigures];
  return {
    pulls: pulls.length,
    comments: sum(({ comments }) => comments),
    harmful: sum(({ arms }) => arms.on.harmful),
    arms: { on, off, placebo },
    gain,
    verdict: gain === null ? NO_PLACEBO : replayVerdict(pulls, gain),
  };
}
