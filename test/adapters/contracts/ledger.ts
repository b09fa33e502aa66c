import { beforeEach, describe, expect, test } from "vitest";
import type { Review } from "../../../src/domain/review.ts";
import type { ReviewRecords } from "../../../src/ports/conversation.ts";
import type { Ledger } from "../../../src/ports.ts";
import { reviewJob } from "./queue.ts";

/** What the ledger reads of a review; the rest is carried as it is. */
export const review = (headSha: string, baseSha = "base") =>
  ({
    kind: "review",
    headSha,
    baseSha,
    baseRef: "main",
    unread: [],
    asked: [],
    findings: [],
    heldBack: [],
    fingerprint: "",
    scope: { kind: "full", reason: null },
    said: [],
    addressed: [],
    author: null,
    configUsed: "",
    proposedProblems: [],
    sources: { guidance: [], tools: [], issues: [] },
    hunks: [],
    month: null,
    isByOutsider: false,
    answersCommands: true,
    summaryBecause: null,
    agentPrompt: true,
  }) as unknown as Review;

/** What every Ledger promises. */
export function ledgerContract(name: string, open: () => Promise<Ledger & ReviewRecords>): void {
  describe(`${name} keeps the promises of a ledger`, () => {
    let ledger: Ledger & ReviewRecords;
    beforeEach(async () => {
      ledger = await open();
    });
    const job = reviewJob(1, "a");

    test("a written review is found until it is settled", async () => {
      expect(await ledger.unsent(job)).toBeNull();
      await ledger.save(job, review("h1"), 1);
      expect(await ledger.unsent(job)).toEqual(review("h1"));
      await ledger.settle(job, review("h1"), 2, "posted");
      expect(await ledger.unsent(job)).toBeNull();
    });

    test("a posted review is known as posted; a superseded one is not", async () => {
      await ledger.save(job, review("h1"), 1);
      await ledger.settle(job, review("h1"), 2, "posted");
      await ledger.save(job, review("h2"), 3);
      await ledger.settle(job, review("h2"), 4, "superseded");
      const known = (await ledger.earlier(job)).map(({ review: { headSha }, posted }) => [headSha, posted]);
      expect(known).toEqual([
        ["h2", false],
        ["h1", true],
      ]);
    });

    test("the latest of several unsent reviews is the one to send", async () => {
      await ledger.save(job, review("h1"), 1);
      await ledger.save(job, review("h2"), 2);
      expect((await ledger.unsent(job))?.headSha).toBe("h2");
    });

    test("of two reviews of the same millisecond the one that was written later is the latest", async () => {
      for (const headSha of ["h2", "h3", "h1"]) await ledger.save(job, review(headSha), 5);
      expect((await ledger.unsent(job))?.headSha).toBe("h1");
      expect((await ledger.latest(job.key))?.headSha).toBe("h1");
      expect((await ledger.earlier(job)).map(({ review: { headSha } }) => headSha)).toEqual(["h1", "h3", "h2"]);
    });

    test("the code of findings is kept until the review is sent, and no longer", async () => {
      const hunks = [{ findingId: "fnd_1", hunk: "@@ -1 +1 @@\n+eval(x)" }];
      await ledger.save(job, { ...review("h1"), hunks }, 1);
      expect((await ledger.unsent(job))?.hunks).toEqual(hunks);
      await ledger.settle(job, review("h1"), 2, "posted");
      expect((await ledger.earlier(job))[0]).toMatchObject({ posted: true });
    });

    test("earlier reviews come newest first, and say whether they were posted", async () => {
      expect(await ledger.earlier(job)).toEqual([]);
      for (const [at, head] of ["h1", "h2", "h3"].entries()) await ledger.save(job, review(head), at);
      await ledger.settle(job, review("h1"), 5, "posted");
      await ledger.settle(job, review("h2"), 6, "superseded");
      expect((await ledger.earlier(job)).map(({ review: { headSha }, posted }) => [headSha, posted])).toEqual([
        ["h3", false],
        ["h2", false],
        ["h1", true],
      ]);
      expect(await ledger.earlier(reviewJob(2, "a"))).toEqual([]);
    });

    test("the latest review is known, sent or not, and a finding from the latest that holds it", async () => {
      const holds = (headSha: string, title: string) =>
        ({ ...review(headSha), findings: [{ finding: { id: "fnd_1", title } }], heldBack: [] }) as unknown as Review;
      expect(await ledger.latest(job.key)).toBeNull();
      await ledger.save(job, holds("h1", 'a "quoted" title, C++'), 1);
      await ledger.save(job, holds("h2", "the newer one"), 2);
      await ledger.save(job, review("h3"), 3);
      await ledger.settle(job, review("h3"), 4, "posted");
      expect((await ledger.latest(job.key))?.headSha).toBe("h3");
      expect(await ledger.finding(job.key, "fnd_1")).toMatchObject({ title: "the newer one" });
      expect(await ledger.finding(job.key, "fnd_2")).toBeNull();
      expect(await ledger.finding("github.com/42#2", "fnd_1")).toBeNull();
      // Written again, it is the latest, and unsent.
      await ledger.save(job, holds("h1", "again"), 5);
      expect((await ledger.latest(job.key))?.headSha).toBe("h1");
      expect(await ledger.finding(job.key, "fnd_1")).toMatchObject({ title: "again" });
    });

    test("any text at all is kept as it is", async () => {
      const odd = { ...review("h1"), walkthrough: 'NUL \0, half a pair \ud83d, a whole one 🙂, "quotes"' } as Review;
      await ledger.save(job, odd, 1);
      expect(await ledger.unsent(job)).toEqual(odd);
      await ledger.settle(job, odd, 2, "posted");
      expect(await ledger.latest(job.key)).toEqual(odd);
    });

    test("reviews of another pull request are not found", async () => {
      await ledger.save(job, review("h1"), 1);
      expect(await ledger.unsent(reviewJob(2, "a"))).toBeNull();
    });
  });
}
