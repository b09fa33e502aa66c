import { describe, expect, test } from "vitest";
import { type UpkeepJob, upkeepKey } from "../../../src/domain/job.ts";
import { EMPTY_TALLY, type HistoryProgress } from "../../../src/domain/memory/past-reviews.ts";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { NEIGHBOURS, type OpenStateStores, SHOP } from "./store-harness.ts";

const PROGRESS: HistoryProgress = {
  ...{ page: 3, read: 40, since: null, limit: 100, startedAt: 5, finishedAt: null, tally: EMPTY_TALLY },
};

/** What every book of push waits, imports and introductions promises. */
export function smallStoresContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of its small books`, () => {
    test("how long pushes wait is known of each repository as it last said", async () => {
      const { waits } = (await open()).stores;
      expect(await waits.of(SHOP)).toBeNull();
      await waits.learn(SHOP, 10_000);
      await waits.learn(SHOP, 0);
      await waits.learn(SHOP, 0);
      expect(await waits.of(SHOP)).toBe(0);
      for (const repo of NEIGHBOURS) expect(await waits.of(repo)).toBeNull();
    });

    test("answers to a review are kept until it is written, and only its own [R33]", async () => {
      const { stores } = await open();
      const [one, other] = [reviewJob(1, "a"), reviewJob(12, "a")];
      for (const { key } of [one, other]) await stores.replies.keep(key, "q", `of ${key}`, 1);
      await stores.replies.keep(one.key, "q", "anew", 2);
      expect(await stores.replies.find(one.key, "q")).toBe("anew");
      expect(await stores.replies.find(one.key, "r")).toBeNull();
      await stores.ledger.save(one, review("h1"), 3);
      expect(await stores.replies.find(one.key, "q")).toBeNull();
      expect(await stores.replies.find(other.key, "q")).toBe(`of ${other.key}`);
      await stores.expire(49 * 60 * 60_000);
      expect(await stores.replies.find(other.key, "q")).toBeNull();
    });

    test("what a model server does not take is kept by server, the last word counts, and it does not expire", async () => {
      const { stores } = await open();
      const { modelLessons } = stores;
      expect(await modelLessons.find("a")).toBeNull();
      await modelLessons.keep("a", "one", 1);
      await modelLessons.keep("a", "two", 2);
      await stores.expire(400 * 24 * 60 * 60_000);
      expect(await modelLessons.find("a")).toBe("two");
      expect(await modelLessons.find("a b")).toBeNull();
    });

    test("a session that was logged out of is known until it would have ended by itself, and no other", async () => {
      const { stores } = await open();
      const DAY_MS = 24 * 60 * 60_000;
      await stores.endedSessions.end("one", DAY_MS);
      await stores.endedSessions.end("one", DAY_MS);
      await stores.endedSessions.end("later", 3 * DAY_MS);
      expect(await stores.endedSessions.isEnded("one")).toBe(true);
      for (const other of ["", "on", "%", "swept"]) expect(await stores.endedSessions.isEnded(other)).toBe(false);
      await stores.expire(DAY_MS);
      expect(await stores.endedSessions.isEnded("one")).toBe(true);
      await stores.expire(2 * DAY_MS + 1);
      expect(await stores.endedSessions.isEnded("one")).toBe(false);
      expect(await stores.endedSessions.isEnded("later")).toBe(true);
    });

    test("an import resumes where it stopped", async () => {
      const { history } = (await open()).stores;
      expect(await history.of("github.com/42")).toBeNull();
      await history.save("github.com/42", { ...PROGRESS, page: 1 });
      await history.save("github.com/42", PROGRESS);
      expect(await history.of("github.com/42")).toEqual(PROGRESS);
      expect(await history.of("github.com/421")).toBeNull();
    });

    test("the first three reviews say what memory there is, and those during an import; an import that was given up is over", async () => {
      const { queue, stores } = await open();
      const { introductions, ledger } = stores;
      const { repo } = reviewJob(1, "a");
      expect(await introductions.of(repo)).toBe("first reviews");
      for (const number of [1, 2, 3]) {
        expect(await introductions.of(repo)).toBe("first reviews");
        const job = reviewJob(number, "a");
        await ledger.save(job, review("h1"), 1);
        await ledger.settle(job, review("h1"), 2, "posted");
      }
      expect(await introductions.of(repo)).toBeNull();
      for (const other of NEIGHBOURS) expect(await introductions.of(other)).toBe("first reviews");
      const key = upkeepKey(repo, "history");
      const whole = { number: null, notBefore: null };
      const job: UpkeepJob = {
        ...whole,
        kind: "history",
        key,
        delivery: "i1",
        installationId: 7,
        repo,
        trigger: "installed",
      };
      await queue.accept(
        { id: "i1", event: "installation", receivedAt: 1, meaning: null },
        { kind: "upkeep", delivery: "i1", jobs: [job] },
      );
      expect(await introductions.of(repo)).toBe("importing");
      const lease = await queue.upkeep.lease(2);
      expect(await introductions.of(repo)).toBe("importing");
      if (lease !== null) await queue.upkeep.end(lease, 3, { state: "parked", reason: "denied" });
      expect(await introductions.of(repo)).toBeNull();
    });
  });
}
