import { describe, expect, test } from "vitest";
import { LeaseLost } from "../../../src/domain/errors.ts";
import type { Lease } from "../../../src/ports.ts";
import type { Records } from "../../../src/wire/store.ts";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, type OpenStateStores } from "./store-harness.ts";

const job = reviewJob(1, "a");
const WANTED = { kind: "review", repo: job.repo, installationId: 7, number: 1, headSha: "h1", subject: "s" } as const;
const CHECK = {
  ...{ id: 5, key: job.key, repo: job.repo },
  ...{ installationId: 7, headSha: "h1", baseRef: "main", failOn: "never" as const },
};
const END = { conclusion: "success", title: "t", summary: "s", text: "" } as const;

/** Everything that a job writes down. */
const WRITES: readonly (readonly [what: string, write: (held: ReturnType<Records["held"]>) => Promise<unknown>])[] = [
  ["a review", ({ ledger }) => ledger.save(job, review("h1"), 4)],
  ["the end of a review", ({ ledger }) => ledger.settle(job, review("h1"), 4, "posted")],
  [
    "an answer",
    ({ answers }) =>
      answers.record({ comment: "c1", repo: "github.com/42", thread: "t", userId: 5, kind: "reply", at: 4 }),
  ],
  ["a check run", ({ checks }) => checks.begun(CHECK, 4)],
  ["how a check run shall end", ({ checks }) => checks.decide(5, END)],
  ["that a check run ended", ({ checks }) => checks.ended(5, 4)],
  ["that something is about to be sent", ({ writes }) => writes.send(WANTED, "m1")],
  ["that something was refused", ({ writes }) => writes.refused(WANTED)],
];

/** What every store promises of whoever lost the job. */
export function fenceContract(name: string, open: OpenStateStores): void {
  describe(`${name} can be written only by the holder of the job`, () => {
    test.each(WRITES)("%s", async (_what, write) => {
      const { queue, stores } = await open();
      const lost = await heldJob(queue, job);
      await queue.leave(2);
      const held = (await queue.lease(3)) as Lease;
      expect(held.id).toBe(lost.id);
      await expect(write(stores.held(lost))).rejects.toBeInstanceOf(LeaseLost);
      await expect(stores.held(lost).writes.hold()).rejects.toBeInstanceOf(LeaseLost);
      await expect(write(stores.held(held))).resolves.toBeUndefined();
      await expect(stores.held(held).writes.hold()).resolves.toBeUndefined();
      // Nobody stands behind a sweep.
      await expect(write(stores.held(null))).resolves.toBeUndefined();
    });

    test("a review written after its job was lost is not saved [R25]", async () => {
      const { queue, stores } = await open();
      const lost = await heldJob(queue, job);
      await queue.leave(2);
      const held = (await queue.lease(3)) as Lease;
      await expect(stores.held(lost).ledger.save(job, review("h1"), 4)).rejects.toThrow(
        "another process has taken the job",
      );
      expect(await stores.ledger.unsent(job)).toBeNull();
      await stores.held(held).ledger.save(job, review("h1"), 5);
      await expect(stores.held(lost).ledger.settle(job, review("h1"), 6, "posted")).rejects.toThrow("another process");
      expect((await stores.ledger.earlier(job)).filter(({ posted }) => posted)).toEqual([]);
    });
  });
}
