// A replay for programs.

import { replayFigures } from "../domain/figures/replay.ts";
import type { Repo } from "../domain/job.ts";
import type { Replayed } from "../flows/memory/replay-memory.ts";
import { nameOf } from "./find-repository.ts";

export function replayJson(repo: Repo, { pulls, placebo, ...rest }: Replayed) {
  return {
    version: 1,
    repo: nameOf(repo),
    ...rest,
    placebo: placebo === null ? null : { repo: nameOf(placebo.repo), memories: placebo.memories },
    ...replayFigures(pulls, placebo !== null),
    pulls,
  };
}
