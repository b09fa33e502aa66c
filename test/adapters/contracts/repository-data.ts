import { describe, expect, test } from "vitest";
import type { Records } from "../../../src/wire/store.ts";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, type OpenStateStores } from "./store-harness.ts";

const JOBS = [
  [42, 1],
  [42, 12],
  [421, 1],
  [4, 2],
] as const;

/** Whatever can be told of a repository: once each. */
async function fill(stores: Records, repoId: number): Promise<void> {
  const job = reviewJob(1, "a", repoId);
  const repo = `github.com/${repoId}`;
  const { key } = job;
  await stores.decisions.pause(key, "mona", 1);
  await stores.decisions.decline(key, { findingId: "fnd_a", by: "mona", reason: "", isWriter: true }, 1);
  await stores.answers.record({ comment: `${repo}!c`, repo, thread: key, userId: 5, kind: "reply", at: 1 });
  await stores.checks.begun(
    { id: repoId, key, repo: job.repo, installationId: 7, headSha: "h", baseRef: "main", failOn: "never" },
    1,
  );
  await stores.waits.learn(job.repo, 5);
  await stores.feedback.recordCheck(job, 1, false);
  await stores.missed.recordCheck(
    job.repo,
    [{ number: 1, headSha: "h", baseRef: "main", createdAt: 1, updatedAt: 1, described: {} }],
    1,
  );
  await stores.spending.record(job.repo, 1, "review", {
    ...{ inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd: 0.5, ms: 1, requests: 1 },
  });
  await stores.replies.keep(key, "q", "{}", 1);
  const wanted = { kind: "answer", repo: job.repo, installationId: 7, number: 1, headSha: "", subject: "s" } as const;
  await stores.held(null).writes.send(wanted, "m");
}

/** How much of it is there. */
async function reported(stores: Records, repoId: number): Promise<readonly unknown[]> {
  const job = reviewJob(1, "a", repoId);
  const { pausedBy, declined } = await stores.decisions.of(job.key);
  const asked = { comment: "other", repo: `github.com/${repoId}`, thread: job.key, userId: 5 };
  return [
    pausedBy,
    declined.length,
    await stores.answers.given(asked, "reply", 0),
    (await stores.checks.open(job.key)).length,
    await stores.waits.of(job.repo),
    (await stores.missed.checkedAt()).has(`github.com/${repoId}`),
    await stores.replies.find(job.key, "q"),
    await stores.missed.owes(
      job.repo,
      { number: 1, headSha: "h", baseRef: "main", createdAt: 1, updatedAt: 1, described: {} },
      { endedForMs: 0, begunForMs: 0 },
    ),
    (
      await stores.held(null).writes.state({
        ...{ kind: "answer", repo: job.repo, installationId: 7, number: 1, headSha: "", subject: "s" },
      })
    ).state,
  ];
}

/** What every store promises of what it forgets. */
export function tracesContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of forgetting`, () => {
    test("reviews and jobs of a repository go together, those of its neighbours by number stay", async () => {
      const { queue, stores } = await open();
      for (const [repo, number] of JOBS) {
        const job = reviewJob(number, "a", repo);
        await stores.ledger.save(job, review("h1"), 1);
        await queue.add(job, 1);
      }
      const { repo } = reviewJob(1, "a", 42);
      expect(await stores.traces.forgetRepository(repo)).toBe(2);
      expect(await stores.traces.forgetRepository(repo)).toBe(0);
      const left = await Promise.all(JOBS.map(([id, number]) => stores.ledger.unsent(reviewJob(number, "a", id))));
      expect(left.map((one) => one !== null)).toEqual([false, false, true, true]);
      expect((await queue.counts()).waiting).toBe(2);
      // What is left can still be worked on.
      expect(await queue.lease(2)).not.toBeNull();
      expect(await queue.lease(2)).not.toBeNull();
      expect(await queue.lease(2)).toBeNull();
    });

    test("who forgets knows which jobs about the repository run or have ended, those of others and its own left out", async () => {
      const { queue, stores } = await open();
      const [own, other] = [reviewJob(1, "a", 42), reviewJob(1, "a", 421)];
      const besides = (key = "") => stores.traces.besides(own.repo, key);
      for (const job of [own, other]) await queue.add(job, 1);
      expect(await besides()).toEqual({ running: 0, ended: 0 });
      const leases = [await queue.lease(2), await queue.lease(2)];
      expect(leases.map((one) => one?.job.repo.id).toSorted()).toEqual([42, 421]);
      expect(await besides()).toEqual({ running: 1, ended: 0 });
      expect(await besides(own.key)).toEqual({ running: 0, ended: 0 });
      for (const lease of leases) if (lease !== null) await queue.end(lease, 3, { state: "done", outcome: "posted" });
      expect(await besides()).toEqual({ running: 0, ended: 1 });
      await stores.traces.forgetRepository(own.repo);
      expect(await besides()).toEqual({ running: 0, ended: 0 });
    });

    test("nothing is left of a repository but what it cost [T20]", async () => {
      const { stores } = await open();
      for (const id of [42, 421]) await fill(stores, id);
      const full = await reported(stores, 421);
      expect(await reported(stores, 42)).toEqual(full);
      await stores.traces.forgetRepository({ host: "github.com", id: 42 });
      expect(await reported(stores, 42)).toEqual([null, 0, 0, 0, null, false, null, true, "new"]);
      expect(await reported(stores, 421)).toEqual(full);
      expect((await stores.spending.usage({ host: "github.com", id: 42 }, 0)).spent).toBe(0.5);
    });

    test("the job that forgets runs on, and no longer names the repository", async () => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, reviewJob(1, "a", 42));
      await stores.traces.forgetRepository({ host: "github.com", id: 42 });
      expect(await queue.leaseState(lease)).toBe("held");
      await queue.leave(2);
      const again = await queue.lease(3);
      expect(again?.job.repo).toMatchObject({ id: 42, owner: "", name: "" });
    });
  });
}
