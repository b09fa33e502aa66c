// A short run of the harness against the server as it is deployed: a process that is killed while
// people go on working. The long one is a command: chaos/README.md.
import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { INVARIANTS } from "../../chaos/checker.ts";
import { failureTrace } from "../../chaos/failure-trace.ts";
import { readFaults } from "../../chaos/faults.ts";
import { ofKind } from "../../chaos/history.ts";
import { runSeed } from "../../chaos/run-seed.ts";

/**
 * A permission that is taken and given back, and people who answer findings; no server is ended.
 */
test("once a permission is back no head stays given up, and what people did about findings is learnt", async () => {
  const result = await runSeed({
    seed: "2",
    deliveries: 24,
    kills: 0,
    faults: readFaults("permission,feedback"),
    lostShare: 0,
    owners: 2,
    repositoriesEach: 1,
    pulls: 4,
    workers: 4,
    settleMs: 60_000,
    store: "sqlite",
    keep: true,
    paceMs: 1_500,
    say: () => {},
  });
  folders.push(result.folder);
  // I10 is about times, which say something about the machine as well.
  const broken = result.broken.filter(({ invariant }) => invariant !== "I10");
  expect(broken.map(({ invariant, what }) => `${invariant}: ${what}`)).toEqual([]);
  const { forbidden, feedback, learnt } = result.figures;
  for (const times of [forbidden, feedback, learnt]) expect(times).toBeGreaterThan(0);
}, 900_000);

const NIGHTLY = process.env.NIGHTLY === "1";
const SEED = process.env.CHAOS_SEED ?? "7";
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("killed twice while deliveries come late, twice and out of order, the server loses nothing and says nothing twice [R2][R22][R32][R33]", async () => {
  const said: string[] = [];
  const result = await runSeed({
    seed: SEED,
    deliveries: NIGHTLY ? 100 : 14,
    kills: NIGHTLY ? 10 : 2,
    faults: readFaults("kill,duplicate,reorder,lost,redirect"),
    lostShare: 0.1,
    owners: 2,
    repositoriesEach: 2,
    pulls: NIGHTLY ? 20 : 5,
    workers: 4,
    settleMs: 400_000,
    store: "sqlite",
    keep: true,
    say: (line) => void said.push(line),
  });
  folders.push(result.folder);
  const stories = result.broken.map((one) => [
    `${one.invariant} ${INVARIANTS[one.invariant]}: ${one.what}`,
    ...failureTrace(one, result.history, result.started),
  ]);
  expect({ seed: SEED, stories }).toEqual({ seed: SEED, stories: [] });

  // It was a run that could have gone wrong: the server died, people commented, reviews were
  // written.
  expect(ofKind(result.history, "process").filter(({ what }) => what === "killed").length).toBeGreaterThanOrEqual(2);
  expect(result.figures.inbox).toBeGreaterThanOrEqual(14);
  expect(result.figures.reviews).toBeGreaterThan(0);
  expect(said.filter((line) => line.includes("not quiet"))).toEqual([]);
});
