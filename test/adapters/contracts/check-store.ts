import { describe, expect, test } from "vitest";
import type { CheckEnd } from "../../../src/domain/review.ts";
import type { BegunCheck } from "../../../src/ports/checks.ts";
import type { Wanted } from "../../../src/ports/writes.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, type OpenStateStores } from "./store-harness.ts";

const job = reviewJob(1, "a");
const begun = (id: number, headSha = "h1", key = job.key): BegunCheck => ({
  ...{ id, key, headSha, repo: job.repo, installationId: 7, baseRef: "main", failOn: "major" },
});
const END: CheckEnd = {
  conclusion: "neutral",
  title: "SupersededError",
  summary: "by a push",
  text: "",
};
const MINUTE = 60_000;

/** What every book of check runs promises. */
export function checkStoreContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of a book of check runs`, () => {
    test("the last one on a head is known, open or ended, with how it shall end", async () => {
      const { checks } = (await open()).stores;
      expect(await checks.on(job.key, "h1")).toBeNull();
      await checks.begun(begun(1), 10);
      await checks.begun(begun(2), 20);
      await checks.begun(begun(3, "h2"), 20);
      expect(await checks.on(job.key, "h1")).toEqual({ ...begun(2), isOpen: true, conclusion: null, end: null });
      await checks.decide(2, END);
      expect(await checks.on(job.key, "h1")).toEqual({ ...begun(2), isOpen: true, conclusion: "neutral", end: END });
      await checks.ended(2, 30);
      expect(await checks.on(job.key, "h1")).toEqual({ ...begun(2), isOpen: false, conclusion: "neutral", end: null });
      expect((await checks.open(job.key)).map(({ id }) => id).toSorted()).toEqual([1, 3]);
      expect(await checks.open("github.com/42#11")).toEqual([]);
    });

    test("one that is begun again under the same id is open again", async () => {
      const { checks } = (await open()).stores;
      await checks.begun(begun(1), 10);
      await checks.decide(1, END);
      await checks.ended(1, 20);
      await checks.begun(begun(1), 30);
      expect(await checks.on(job.key, "h1")).toEqual({ ...begun(1), isOpen: true, conclusion: null, end: null });
    });

    test("left behind is what has no job, and what was begun too long ago; not what a job waits or runs for", async () => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, job);
      await stores.checks.begun(begun(1), MINUTE);
      await stores.checks.begun(begun(2, "h1", "github.com/42#9"), MINUTE);
      await stores.checks.begun(begun(3, "h1", "github.com/42#9"), MINUTE);
      await stores.checks.ended(3, 2 * MINUTE);
      expect(await stores.checks.left(10 * MINUTE, 15 * MINUTE)).toMatchObject([{ id: 2, why: "no-job" }]);
      const late = await stores.checks.left(16 * MINUTE, 15 * MINUTE);
      expect(late.map(({ id, why }) => `${id} ${why}`).toSorted()).toEqual(["1 late", "2 no-job"]);
      await queue.end(lease, 2, { state: "done", outcome: "posted" });
      const left = await stores.checks.left(10 * MINUTE, 15 * MINUTE);
      expect(left.map(({ id, why }) => `${id} ${why}`).toSorted()).toEqual(["1 no-job", "2 no-job"]);
    });

    test("one that could not be ended for 7 days is left alone, but stays open for the next review", async () => {
      const { checks } = (await open()).stores;
      await checks.begun(begun(1), MINUTE);
      const week = 7 * 24 * 60 * MINUTE;
      expect(await checks.left(week, 15 * MINUTE)).toMatchObject([{ id: 1 }]);
      expect(await checks.left(week + MINUTE, 15 * MINUTE)).toEqual([]);
      expect(await checks.open(job.key)).toMatchObject([{ id: 1 }]);
    });

    test("one that is on GitHub but was never recorded is dropped once its job has ended", async () => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, job);
      const { writes } = stores.held(lease);
      const wanted: Wanted = {
        ...{ kind: "check", repo: job.repo, installationId: 7, number: 1, headSha: "h1", subject: "first" },
      };
      await writes.send(wanted, "marker");
      await writes.posted(wanted, { id: 77, url: "https://github.com/acme/shop/runs/77" });
      expect(await stores.checks.left(0, 15 * MINUTE)).toEqual([]);
      await queue.end(lease, 2, { state: "done", outcome: "posted" });
      // How strict it was to be was lost with the answer: it does not let a required check pass.
      const failOn = "minor";
      const unwritten = {
        id: 77,
        key: job.key,
        repo: job.repo,
        installationId: 7,
        headSha: "h1",
        failOn,
        isOpen: true,
      };
      expect(await stores.checks.left(0, 15 * MINUTE)).toMatchObject([unwritten]);
      await stores.checks.ended(77, 3);
      expect(await stores.checks.left(0, 15 * MINUTE)).toEqual([]);
    });
  });
}
