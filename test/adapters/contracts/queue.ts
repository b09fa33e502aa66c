import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { CommandJob } from "../../../src/domain/command.ts";
import { type CancelJob, type ReviewJob, type UpkeepJob, upkeepKey } from "../../../src/domain/job.ts";
import type { Lease } from "../../../src/ports.ts";
import { aRepo, aReviewJob } from "../../builders/pull-request.ts";
import type { TimedQueue as Queue } from "../../builders/timed-queue.ts";

let serial = 0;

export function reviewJob(number: number, head: string, repoId = 42): ReviewJob {
  return aReviewJob({
    repo: aRepo({ id: repoId, ownerId: 9 }),
    delivery: `d${++serial}`,
    installationId: 7,
    number,
    headSha: head.repeat(40).slice(0, 40),
    trigger: "synchronize",
  });
}

function indexJob(delivery: string, repoId = 42): UpkeepJob {
  const { repo } = reviewJob(1, "a", repoId);
  return {
    kind: "index",
    key: upkeepKey(repo, "index"),
    delivery,
    installationId: 7,
    repo,
    trigger: "push",
    after: null,
  };
}

const received = (job: ReviewJob | CancelJob, receivedAt: number) => ({
  id: job.delivery,
  event: "pull_request",
  receivedAt,
  meaning: null,
});

/** What every Queue promises. */
export function queueContract(
  name: string,
  open: () => Queue | Promise<Queue>,
  /** Two processes on one store; with false another two on the same. */
  openTwo: (fresh?: boolean) => readonly [Queue, Queue] | Promise<readonly [Queue, Queue]>,
  /** Random orders of pushes that are tried. */
  numRuns = 50,
): void {
  describe(`${name} keeps the promises of a queue`, () => {
    let queue: Queue;
    beforeEach(async () => {
      queue = await open();
    });
    const add = (job: ReviewJob, at: number) => queue.accept(received(job, at), job);

    test("a job is leased once, oldest first, and done", async () => {
      const [one, two] = [reviewJob(1, "a"), reviewJob(2, "b")];
      await add(one, 10);
      await add(two, 20);
      const first = await queue.lease(100);
      expect(first).toMatchObject({ job: one, attempt: 1, waitedMs: expect.any(Number) });
      expect(first?.waitedMs).toBeGreaterThanOrEqual(0);
      expect(await queue.lease(100)).toMatchObject({ job: two });
      expect(await queue.lease(100)).toBeNull();
      await queue.end(first as Lease, 200, { state: "done", outcome: "posted" });
      expect(await queue.counts()).toEqual({ waiting: 0, running: 1, parked: 0 });
    });

    test("the same delivery twice makes one job [R3]", async () => {
      const job = reviewJob(1, "a");
      expect(await add(job, 10)).toBe(true);
      expect(await add(job, 11)).toBe(false);
      expect((await queue.counts()).waiting).toBe(1);
    });

    test("a newer head takes the place of one that waits", async () => {
      await add(reviewJob(1, "a"), 10);
      await add(reviewJob(1, "b"), 11);
      expect(await queue.lease(20)).toMatchObject({ job: { headSha: "b".repeat(40) } });
      expect(await queue.lease(20)).toBeNull();
    });

    test("two jobs of one pull request never run side by side [R25]", async () => {
      await add(reviewJob(1, "a"), 10);
      const running = (await queue.lease(20)) as Lease;
      await add(reviewJob(1, "b"), 21);
      expect(await queue.lease(22)).toBeNull();
      await queue.end(running, 23, { state: "done", outcome: "superseded" });
      expect(await queue.lease(24)).toMatchObject({ job: { headSha: "b".repeat(40) } });
    });

    test("a push waits for the next one, but not for ever, and a request by a person replaces it at once", async () => {
      const wait = (at: number): ReviewJob => ({ ...reviewJob(1, "a"), notBefore: at + 100 });
      await add(wait(1_000), 1_000);
      expect(await queue.lease(1_099)).toBeNull();
      // A push every 90: the first of the flurry waits six times as long as one alone.
      for (let at = 1_090; at < 1_590; at += 90) await add(wait(at), at);
      expect(await queue.lease(1_599)).toBeNull();
      await add({ ...reviewJob(1, "c"), explicit: true }, 1_590);
      expect(await queue.lease(1_590)).toMatchObject({ job: { headSha: "c".repeat(40) } });
    });

    test("an import waits until GitHub gives requests for it again, and nothing else waits for it", async () => {
      const { repo } = reviewJob(1, "a");
      const key = upkeepKey(repo, "history");
      const notBefore = 3_601_000;
      const history: UpkeepJob = {
        ...indexJob("i"),
        kind: "history",
        key,
        trigger: "continued",
        number: null,
        notBefore,
      };
      const outcome = { kind: "upkeep", delivery: "i", jobs: [history, indexJob("i")] } as const;
      await queue.accept({ id: "i", event: "continued", receivedAt: 1_000, meaning: null }, outcome);
      expect(await queue.upkeep.lease(1_000)).toMatchObject({ job: { kind: "index" } });
      expect(await queue.upkeep.lease(3_600_999)).toBeNull();
      expect(await queue.upkeep.lease(3_601_000)).toMatchObject({ job: history, waitedMs: 0 });
    });

    test("forgetting waits until GitHub is asked again", async () => {
      const { repo, installationId } = reviewJob(1, "a");
      const key = upkeepKey(repo, "forget");
      const reported = { trigger: "removed", repo, installationId, delivery: "f" };
      const forget: UpkeepJob = { kind: "forget", key, ...reported, asked: 1, notBefore: 6_000 };
      const received = { id: "f>6000", event: "continued", receivedAt: 1_000, meaning: null };
      await queue.accept(received, { kind: "upkeep", delivery: "f", jobs: [forget] });
      expect(await queue.upkeep.lease(5_999)).toBeNull();
      expect(await queue.upkeep.lease(6_000)).toMatchObject({ job: forget, waitedMs: 0 });
    });

    test("a job that runs is superseded as soon as a later one of its pull request waits", async () => {
      await add(reviewJob(1, "a"), 10);
      const running = (await queue.lease(20)) as Lease;
      await add(reviewJob(2, "a"), 21);
      expect(await queue.leaseState(running)).toBe("held");
      await add(reviewJob(1, "b"), 22);
      expect(await queue.leaseState(running)).toBe("superseded");
    });

    test("a waiting job survives a close event, which may arrive late, after a reopening", async () => {
      const job = reviewJob(1, "a");
      await add(job, 10);
      await queue.accept(
        { id: "close", event: "pull_request", receivedAt: 11, meaning: null },
        { kind: "cancel", key: job.key, delivery: "close", reason: "closed", others: null },
      );
      expect(await queue.lease(20)).toMatchObject({ job });
    });

    test("a job that is tried again waits until its time and counts its attempts", async () => {
      await add(reviewJob(1, "a"), 10);
      await queue.end((await queue.lease(20)) as Lease, 21, { state: "retry", at: 500, reason: "502" });
      expect(await queue.lease(499)).toBeNull();
      expect(await queue.lease(500)).toMatchObject({ attempt: 2 });
    });

    test("a retry yields to a newer head", async () => {
      await add(reviewJob(1, "a"), 10);
      const running = (await queue.lease(20)) as Lease;
      await add(reviewJob(1, "b"), 21);
      await queue.end(running, 22, { state: "retry", at: 23, reason: "502" });
      expect(await queue.lease(30)).toMatchObject({ job: { headSha: "b".repeat(40) }, attempt: 1 });
      expect(await queue.lease(30)).toBeNull();
    });

    test("a parked job stays parked and is counted [R27]", async () => {
      await add(reviewJob(1, "a"), 10);
      await queue.end((await queue.lease(20)) as Lease, 21, { state: "parked", reason: "bug" });
      expect(await queue.lease(9999)).toBeNull();
      expect(await queue.counts()).toEqual({ waiting: 0, running: 0, parked: 1 });
    });

    test("the job of a process that vanished waits again once it was silent for long enough, and no sooner", async () => {
      const [mine, theirs] = await openTwo();
      for (const one of [mine, theirs]) await one.beat(0);
      const job = reviewJob(1, "a");
      await theirs.accept(received(job, 10), job);
      const lost = (await theirs.lease(20)) as Lease;
      let at = 0;
      // As long as it beats, it keeps what it holds, however long that takes.
      for (; at < 300_000; at += 5_000) {
        await theirs.beat(at);
        expect(await mine.beat(at)).toBe(0);
      }
      let recovered = 0;
      const silentSince = at - 5_000;
      while (recovered === 0) {
        at += 5_000;
        recovered = await mine.beat(at);
      }
      expect(recovered).toBe(1);
      expect(at - silentSince).toBeGreaterThanOrEqual(20_000);
      expect(at - silentSince).toBeLessThanOrEqual(40_000);
      const again = (await mine.lease(at)) as Lease;
      // A try that was cut short is none.
      expect(again).toMatchObject({ job, attempt: 1 });
      expect(again.token).toBeGreaterThan(lost.token);
      // The other was not dead after all: what it says is not recorded.
      expect(await theirs.leaseState(lost)).toBe("lost");
      expect(await theirs.end(lost, at, { state: "done", outcome: "posted" })).toBe(false);
      expect(await mine.leaseState(again)).toBe("held");
      expect(await mine.end(again, at, { state: "done", outcome: "posted" })).toBe(true);
    });

    test("who was taken for dead and comes back works on, with new jobs", async () => {
      const [mine, theirs] = await openTwo();
      await theirs.beat(0);
      for (let at = 0; at < 60_000; at += 5_000) await mine.beat(at);
      await add(reviewJob(1, "a"), 10);
      await theirs.accept(received(reviewJob(2, "b"), 60_000), reviewJob(2, "b"));
      const lease = (await theirs.lease(60_000)) as Lease;
      expect(await mine.beat(65_000)).toBe(0);
      expect(await theirs.leaseState(lease)).toBe("held");
    });

    test("a process that ends gives back what it holds at once, and not as one that died", async () => {
      const [mine, theirs] = await openTwo();
      const job = reviewJob(1, "a");
      await mine.accept(received(job, 1), job);
      for (let round = 1; round <= 5; round++) {
        expect(await theirs.lease(10)).toMatchObject({ attempt: 1 });
        expect(await theirs.leave(10)).toBe(1);
      }
      expect(await mine.lease(11)).toMatchObject({ attempt: 1 });
    });

    /** Whoever says nothing for so long is dead. Returns the time at which it is buried. */
    const buried = async (observer: Queue, from: number) => {
      let at = from;
      for (let look = 1; look <= 4; look++) {
        at += 10_000;
        await observer.beat(at);
      }
      return at;
    };
    const ended = { state: "done", outcome: "posted" } as const;

    test("a job over which five processes died is parked, and the others run [R27]", async () => {
      const [mine] = await openTwo();
      const [poison, good] = [reviewJob(1, "a"), reviewJob(2, "b", 43)];
      await mine.accept(received(poison, 1), poison);
      let at = 10;
      for (let death = 1; death <= 5; death++) {
        const [, victim] = await openTwo(false);
        expect((await victim.lease(at))?.job).toEqual(poison);
        at = await buried(mine, at);
      }
      expect(await mine.counts()).toEqual({ waiting: 0, running: 0, parked: 1 });
      await mine.accept(received(good, at), good);
      expect((await mine.lease(at))?.job).toEqual(good);
    });

    test("a job is not blamed for deaths before it came to an end of its own", async () => {
      const [mine] = await openTwo();
      const job = reviewJob(1, "a");
      await mine.accept(received(job, 1), job);
      let at = 10;
      for (const deaths of [4, 4]) {
        for (let death = 1; death <= deaths; death++) {
          const [, victim] = await openTwo(false);
          expect((await victim.lease(at))?.job).toEqual(job);
          at = await buried(mine, at);
        }
        await mine.end((await mine.lease(at)) as Lease, at, { state: "retry", at, reason: "502" });
      }
      expect(await mine.counts()).toEqual({ waiting: 1, running: 0, parked: 0 });
    });

    test("beside any other job, a job that kills each process is parked after a few, and all others finish [R27]", async () => {
      const [mine] = await openTwo();
      const jobs = Array.from({ length: 12 }, (_, index) => reviewJob(index + 1, "a", 40 + (index % 3)));
      for (const job of jobs) await mine.accept(received(job, 1), job);
      let at = 10;
      let deaths = 0;
      for (let turn = 0; turn < 40 && (await mine.counts()).waiting > 0; turn++) {
        const [, victim] = await openTwo(false);
        await victim.beat(at);
        const held: Lease[] = [];
        for (let lease = await victim.lease(at); lease !== null && held.length < 4; lease = await victim.lease(at))
          held.push(lease);
        const isFatal = held.some(({ job }) => job.number === 5);
        if (isFatal) deaths++;
        else for (const lease of held) await victim.end(lease, at, ended);
        if (!isFatal) await victim.leave(at);
        at = await buried(mine, at);
      }
      expect(await mine.counts()).toEqual({ waiting: 0, running: 0, parked: 1 });
      expect(deaths).toBeLessThanOrEqual(6);
    });

    test("interrupted jobs run before 200 that wait, each pull request once [R2]", async () => {
      const [mine, theirs] = await openTwo();
      await mine.accept(received(reviewJob(1, "a"), 1), reviewJob(1, "a"));
      await mine.accept(received(reviewJob(2, "a", 43), 2), reviewJob(2, "a", 43));
      for (const _ of [1, 2]) expect(await theirs.lease(10)).not.toBeNull();
      const waiting = Array.from({ length: 200 }, (_, index) => reviewJob(index + 10, "b", 50 + (index % 20)));
      for (const job of waiting) await mine.accept(received(job, 20), job);
      const at = await buried(mine, 20);
      // Somebody pushes meanwhile: the newer head has the place of the one that was interrupted.
      await mine.accept(received(reviewJob(2, "c", 43), at), reviewJob(2, "c", 43));
      const taken: ReviewJob[] = [];
      for (let turn = 1; turn <= 2; turn++) taken.push(((await mine.lease(at)) as Lease).job);
      expect(taken.map(({ number }) => number).toSorted()).toEqual([1, 2]);
      expect(taken.find(({ number }) => number === 2)?.headSha).toBe("c".repeat(40));
    });

    test("what a process gives back when it ends is taken up first", async () => {
      const [mine, theirs] = await openTwo();
      await mine.accept(received(reviewJob(1, "a"), 1), reviewJob(1, "a"));
      await theirs.lease(10);
      await mine.accept(received(reviewJob(2, "a", 43), 11), reviewJob(2, "a", 43));
      await theirs.leave(12);
      expect((await mine.lease(13))?.job.number).toBe(1);
    });

    test("an account with many jobs delays another by one job of its own at a time [R28]", async () => {
      const of = (job: ReviewJob, ownerId: number) => ({ ...job, repo: { ...job.repo, ownerId } });
      for (let number = 1; number <= 20; number++) await add(of(reviewJob(number, "a", 1), 9), 10);
      for (let number = 1; number <= 5; number++) await add(of(reviewJob(number, "b", 100), 10), 1_000 + number);
      const served: number[] = [];
      for (let turn = 0; turn < 12; turn++) {
        const lease = (await queue.lease(2_000)) as Lease;
        served.push(lease.job.repo.id);
        await queue.end(lease, 2_000, { state: "done", outcome: "posted" });
      }
      expect(served).toEqual([1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 1]);
      // Whoever was away for long comes first, once.
      await add(of(reviewJob(9, "c", 200), 11), 3_000);
      await add(of(reviewJob(10, "c", 201), 11), 3_000);
      const next = [(await queue.lease(3_001)) as Lease, (await queue.lease(3_001)) as Lease];
      expect(next.map(({ job }) => job.repo.ownerId)).toEqual([11, 9]);
    });

    test("of one repository a process holds no more than it may, and takes those of others meanwhile", async () => {
      const [mine, theirs] = await openTwo();
      for (let number = 1; number <= 4; number++)
        await mine.accept(received(reviewJob(number, "a", 1), 10), reviewJob(number, "a", 1));
      const other = reviewJob(1, "b", 2);
      await mine.accept(received(other, 20), other);
      const limits = { ofRepository: 2, hasCapacity: true };
      const taken: (Lease | null)[] = [];
      for (let turn = 0; turn < 4; turn++) taken.push(await mine.lease(30, limits));
      expect(taken.map((lease) => lease?.job.repo.id ?? null).toSorted()).toEqual([1, 1, 2, null]);
      expect(await theirs.lease(30, limits)).not.toBeNull();
      await mine.end(taken.find((lease) => lease?.job.repo.id === 1) as Lease, 31, ended);
      expect((await mine.lease(32, limits))?.job.repo.id).toBe(1);
    });

    test("a job without a free slot keeps its place, counts no try, and is taken by the next process with a slot", async () => {
      const [mine, theirs] = await openTwo();
      const [large, later] = [reviewJob(1, "a"), reviewJob(2, "a")];
      for (const job of [large, later]) await mine.accept(received(job, 10), job);
      const full = { ofRepository: 9, hasCapacity: false };
      // Before it was begun nobody knows that it is large.
      const first = (await mine.lease(20, full)) as Lease;
      expect(first.job).toEqual(large);
      expect(await mine.end(first, 21, { state: "at-capacity", reason: "no room" })).toBe(true);
      expect(await mine.leaseState(first)).toBe("lost");
      const second = (await mine.lease(22, full)) as Lease;
      expect(second.job).toEqual(later);
      expect(await mine.lease(22, full)).toBeNull();
      expect(await theirs.lease(22)).toMatchObject({ job: large, attempt: 1, token: first.token + 1 });
    });

    test("a job that waits for a slot yields to a newer head, which may be small", async () => {
      await add(reviewJob(1, "a"), 10);
      const full = { ofRepository: 9, hasCapacity: false };
      await queue.end((await queue.lease(20, full)) as Lease, 21, { state: "at-capacity", reason: "no room" });
      await add(reviewJob(1, "b"), 22);
      const lease = (await queue.lease(23, full)) as Lease;
      expect(lease.job.headSha).toBe("b".repeat(40));
      await add(reviewJob(1, "c"), 24);
      await queue.end(lease, 25, { state: "at-capacity", reason: "no room" });
      expect((await queue.lease(26, full))?.job.headSha).toBe("c".repeat(40));
      expect(await queue.lease(26)).toBeNull();
    });

    test("crashes of a job that found no free slot still count", async () => {
      const [mine] = await openTwo();
      const job = reviewJob(1, "a");
      await mine.accept(received(job, 1), job);
      let at = 10;
      for (let death = 1; death <= 5; death++) {
        const [, victim] = await openTwo(false);
        await victim.end((await victim.lease(at)) as Lease, at, { state: "at-capacity", reason: "no room" });
        expect((await victim.lease(at))?.job).toEqual(job);
        at = await buried(mine, at);
      }
      expect(await mine.counts()).toEqual({ waiting: 0, running: 0, parked: 1 });
    });

    test("upkeep has a lane of its own: neither waits for the other, and the later job of a key takes the place of one that waits", async () => {
      const [push, later] = [indexJob("push-1"), indexJob("push-2")];
      const accept = (jobs: readonly UpkeepJob[], at: number) => {
        const id = jobs.map(({ delivery }) => delivery).join();
        return queue.accept(
          { id, event: "push", receivedAt: at, meaning: null },
          { kind: "upkeep", delivery: id, jobs },
        );
      };
      expect(await accept([push], 10)).toBe(true);
      expect(await accept([push], 11)).toBe(false);
      expect(await queue.lease(20)).toBeNull();
      await add(reviewJob(1, "a"), 12);
      await accept([later, indexJob("push-3", 43)], 13);
      expect(await queue.lease(20)).toMatchObject({ job: { kind: "review" } });
      const running = await queue.upkeep.lease(20);
      expect(running).toMatchObject({ job: later });
      expect(await queue.upkeep.lease(20)).toMatchObject({ job: { repo: { id: 43 } } });
      // One that comes while another of its key runs waits for its end.
      await accept([indexJob("push-4")], 21);
      expect(await queue.upkeep.lease(22)).toBeNull();
      await queue.upkeep.end(running as Lease<UpkeepJob>, 23, { state: "done", outcome: "indexed" });
      expect(await queue.upkeep.lease(24)).toMatchObject({ job: { delivery: "push-4" } });
    });

    test("a command neither replaces nor is replaced by a review, and has a lane of its own", async () => {
      const review = reviewJob(1, "a");
      const { trigger: _, explicit: __, ...rest } = review;
      const command: CommandJob = {
        ...rest,
        kind: "command",
        key: `${review.key}!conversation-5`,
        delivery: "command-5",
        command: { kind: "verb", verb: "stop", text: "" },
        comment: {
          place: "conversation",
          id: 5,
          rootId: null,
          url: "https://github.com/acme/shop/pull/1#issuecomment-5",
          at: "2026-11-01T10:00:00Z",
          author: { id: 3, login: "mona" },
          path: null,
          hunk: null,
        },
        pull: { title: "Add a shop", description: "", authorId: 3, words: null },
      };
      await add(review, 10);
      expect(
        await queue.accept({ id: command.delivery, event: "issue_comment", receivedAt: 11, meaning: null }, command),
      ).toBe(true);
      await add(reviewJob(1, "b"), 12);
      expect((await queue.counts()).waiting).toBe(2);
      expect(await queue.commands.lease(20)).toMatchObject({ job: command });
      expect(await queue.commands.lease(20)).toBeNull();
      expect(await queue.lease(20)).toMatchObject({ job: { headSha: "b".repeat(40) } });
    });

    test("a job that follows from a command waits like any other, and what waits can be dropped", async () => {
      await queue.add(reviewJob(1, "a"), 10);
      await queue.add(reviewJob(1, "b"), 11);
      await queue.add(reviewJob(2, "c"), 12);
      expect((await queue.counts()).waiting).toBe(2);
      expect(await queue.drop("github.com/42#1", "stopped by mona", 13)).toBe(1);
      expect(await queue.drop("github.com/42#1", "stopped by mona", 14)).toBe(0);
      expect(await queue.lease(20)).toMatchObject({ job: { number: 2 } });
    });

    test("for any order of pushes, the last accepted head of each pull request runs last [R4]", async () => {
      const step = fc.record({
        number: fc.integer({ min: 1, max: 3 }),
        head: fc.constantFrom("a", "b", "c"),
        work: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          queue = await open();
          const last = new Map<number, string>();
          const ran = new Map<number, string>();
          let now = 0;
          const workOnce = async (): Promise<boolean> => {
            const lease = await queue.lease(++now);
            if (lease === null) return false;
            ran.set(lease.job.number, lease.job.headSha ?? "");
            await queue.end(lease, ++now, { state: "done", outcome: "posted" });
            return true;
          };
          for (const { number, head, work } of steps) {
            const job = reviewJob(number, head);
            await add(job, ++now);
            last.set(number, job.headSha);
            if (work) await workOnce();
          }
          while (await workOnce());
          expect(ran).toEqual(last);
        }),
        { numRuns },
      );
    });
  });
}
