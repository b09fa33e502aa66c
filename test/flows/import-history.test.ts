// What an import owes whoever runs it, whatever the pages and wherever it is interrupted.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import type { HistoryProgress, PastAuthor, PastComment } from "../../src/domain/memory/past-reviews.ts";
import { type HistoryRequest, importHistory } from "../../src/flows/repository/import-history.ts";
import type { HistoryStore, PastReviews } from "../../src/ports/history.ts";
import { type FakeMemory, fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { AT, REPO } from "../learn/memory-builders.ts";

const INES: PastAuthor = { id: 1, login: "ines", isBot: false, association: "MEMBER" };
const STRANGER: PastAuthor = { id: 2, login: "drive-by", isBot: false, association: "NONE" };

interface Said {
  readonly place?: PastComment["place"];
  readonly pull?: number;
  readonly replyTo?: number;
  readonly body?: string;
  readonly author?: PastAuthor;
  readonly minutes: number;
}

const said = (id: number, { minutes, ...with_ }: Said): PastComment => ({
  id,
  place: "line",
  pull: 1 + (id % 5),
  replyTo: null,
  body: `Remark ${id}: close the connection in a finally block, or the pool runs dry.`,
  path: "src/pool.ts",
  hunk: null,
  author: INES,
  isOutdated: false,
  sha: null,
  url: `https://github.com/acme/payments/pull/1#discussion_r${id}`,
  at: AT + minutes * 60_000,
  ...with_,
});

interface Past {
  readonly comments: readonly PastComment[];
  readonly open?: ReadonlySet<number>;
  readonly pageSize?: number;
  /** Throws before the answer to this request, counted from 1. */
  readonly failsAt?: number;
  /** After so many requests there are no more this hour. */
  readonly budget?: number;
}

/** A repository's past, in pages as GitHub gives them: the last changed first. */
function pastOf({
  comments,
  open = new Set(),
  pageSize = 2,
  failsAt,
  budget,
}: Past): PastReviews & { asked(): number } {
  let asked = 0;
  const ask = () => {
    asked += 1;
    if (asked === failsAt) throw new Transient("GitHub answered 502");
  };
  const pulls = [...Map.groupBy(comments, ({ pull }) => pull)]
    .map(([number, its]) => ({ number, updatedAt: Math.max(...its.map(({ at }) => at)) }))
    .filter(({ number }) => !open.has(number))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  return {
    asked: () => asked,
    budget: () => ({ sent: asked, isEnough: budget === undefined || asked < budget, until: AT + 3_600_000 }),
    closedPulls: async (page) => {
      ask();
      const items = pulls.slice((page - 1) * pageSize, page * pageSize);
      return { items, hasNext: pulls.length > page * pageSize, cut: null };
    },
    isOpen: (pull) => Promise.resolve(open.has(pull)),
    commentsOn: async (pull) => {
      ask();
      return comments.filter((one) => one.pull === pull);
    },
    patchesOf: () => Promise.resolve(new Map()),
    fates: () => Promise.resolve({ pulls: new Map(), resolvedBy: new Map(), failed: null }),
    mayWrite: ({ id }) => Promise.resolve(id === INES.id),
  };
}

function storeOf(): HistoryStore & { readonly saved: HistoryProgress[] } {
  const saved: HistoryProgress[] = [];
  return {
    saved,
    of: () => Promise.resolve(saved.at(-1) ?? null),
    save: async (_, progress) => void saved.push(progress),
  };
}

const request = (with_: Partial<HistoryRequest> = {}): HistoryRequest => ({
  repo: REPO,
  since: null,
  limit: null,
  most: null,
  ownLogin: "kodiai[bot]",
  at: () => AT + 10_000_000,
  ...with_,
});

function world() {
  const memory = fakeMemory();
  const store = storeOf();
  const redact = (text: string) => Promise.resolve(text);
  const run = (past: PastReviews, with_: Partial<HistoryRequest> = {}) =>
    importHistory(request(with_), { past, store, memory, embedder: fakeEmbedder(), redact });
  return { memory, store, run };
}

const held = (memory: FakeMemory) =>
  memory
    .all()
    .map(({ sourceId, replies, outcome }) => ({ sourceId, replies, outcome }))
    .sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));

const THREADED = [
  said(10, { minutes: 1 }),
  said(11, { minutes: 2, pull: 2 }),
  said(12, { minutes: 3, replyTo: 10, pull: 1, body: "Good catch" }),
  said(13, { minutes: 4, pull: 3 }),
  said(14, { minutes: 90, replyTo: 10, pull: 1, body: "Done in 3f2a1bc" }),
  said(15, { minutes: 5, place: "conversation" }),
  said(16, { minutes: 6, place: "review" }),
].map((one) => (one.id === 10 ? { ...one, pull: 1 } : one));

describe("an import", () => {
  test("folds replies into what they answer, and reads all three places", async () => {
    const { memory, store, run } = world();
    const done = await run(pastOf({ comments: THREADED }));
    expect(done).toMatchObject({ stopped: null, progress: { finishedAt: AT + 10_000_000 } });
    expect(held(memory)).toEqual([
      { sourceId: "10", replies: ["Good catch", "Done in 3f2a1bc"], outcome: "fixed" },
      { sourceId: "11", replies: [], outcome: null },
      { sourceId: "13", replies: [], outcome: null },
      { sourceId: "conversation-15", replies: [], outcome: null },
      { sourceId: "review-16", replies: [], outcome: null },
    ]);
    expect(done.progress.tally).toMatchObject({
      comments: 7,
      added: 5,
      byLanguage: [["typescript", 5]],
      byOutcome: expect.arrayContaining([["fixed", 1]]),
    });
    // What stands in the store is numbers and our own words.
    expect(JSON.stringify(store.saved)).not.toContain("finally");
  });

  test("twice brings nothing twice, and the second time only what is new, with old threads that went on", async () => {
    const { memory, run } = world();
    await run(pastOf({ comments: THREADED }), { at: () => AT + 95 * 60_000 });
    const before = held(memory);
    expect((await run(pastOf({ comments: THREADED }))).progress.tally).toMatchObject({ added: 0, updated: 0 });
    expect(held(memory)).toEqual(before);

    const later = [
      ...THREADED,
      said(30, { minutes: 1_000, pull: 4 }),
      said(31, { minutes: 1_001, replyTo: 11, pull: 2, body: "Won't fix" }),
    ];
    const { memory: same, run: again } = world();
    await again(pastOf({ comments: THREADED }), { at: () => AT + 95 * 60_000 });
    const { progress } = await again(pastOf({ comments: later }));
    expect(progress.tally).toMatchObject({ added: 1, updated: 1 });
    expect(held(same).find(({ sourceId }) => sourceId === "11")).toMatchObject({ outcome: "declined" });
  });

  test("leaves what is still open out, and brings it once it is closed", async () => {
    const { memory, run } = world();
    const comments = [...THREADED, said(40, { minutes: 7, pull: 9 })];
    await run(pastOf({ comments, open: new Set([9]) }), { at: () => AT + 50 * 60_000 });
    expect(held(memory).map(({ sourceId }) => sourceId)).not.toContain("40");
    // It is closed later, and nothing was said on that occasion but in the conversation.
    const closing = said(41, { minutes: 60, pull: 9, place: "conversation", body: "Merged." });
    await run(pastOf({ comments: [...comments, closing] }));
    expect(held(memory).map(({ sourceId }) => sourceId)).toContain("40");
  });

  test("says what it left out and why, and only counts where there is no memory", async () => {
    const comments = [
      ...THREADED,
      said(50, { minutes: 8, author: STRANGER }),
      said(51, { minutes: 9, body: "LGTM", place: "conversation" }),
    ];
    const past = pastOf({ comments });
    const { progress } = await importHistory(request(), {
      past,
      store: null,
      memory: null,
      embedder: fakeEmbedder(),
      redact: (text) => Promise.resolve(text),
    });
    expect(progress.tally).toMatchObject({ added: 0, byLanguage: [["typescript", 5]] });
    expect(new Map(progress.tally.leftOut)).toEqual(
      new Map([
        ["by a person without write access", 1],
        ["fewer than 25 characters beside code and links", 1],
      ]),
    );
  });

  test("of the newest N reads no more, and a larger N starts again", async () => {
    const { memory, run } = world();
    await run(pastOf({ comments: THREADED }), { limit: 1 });
    expect(held(memory).map(({ sourceId }) => sourceId)).toEqual(["10", "conversation-15"]);
    await run(pastOf({ comments: THREADED }));
    expect(held(memory)).toHaveLength(5);
  });
});

describe("an import that is interrupted", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 100, max: 160 }), { minLength: 1, maxLength: 20 });
  /** Comments of all places; a reply comes after what it answers. */
  const past = ids.map((numbers) =>
    numbers.map((id, index): PastComment => {
      const place = (["line", "line", "line", "conversation", "review"] as const)[id % 5] ?? "line";
      const to = numbers.slice(0, index).find((one) => one % 5 === 0 && id % 5 === 2);
      const one = said(id, { minutes: index, place, pull: 1 + (id % 3) });
      return to === undefined
        ? one
        : { ...one, replyTo: to, pull: 1 + (to % 3), body: id % 2 === 0 ? "Done" : "Won't fix" };
    }),
  );

  test("by its own bound, a rate limit or a crash anywhere ends with the same memory as one that is not", async () => {
    await fc.assert(
      fc.asyncProperty(
        past,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }),
        async (comments, pageSize, most, crashes) => {
          const whole = world();
          await whole.run(pastOf({ comments, pageSize: 100 }));
          const torn = world();
          for (const failsAt of crashes) {
            await torn.run(pastOf({ comments, pageSize, failsAt })).catch((error: unknown) => {
              expect(error).toBeInstanceOf(Transient);
            });
          }
          let runs = 0;
          for (let stopped = true; stopped; runs++) {
            const bound = runs % 2 === 0 ? { most } : {};
            const budget = runs % 2 === 0 ? {} : { budget: most };
            stopped = (await torn.run(pastOf({ comments, pageSize, ...budget }), bound)).stopped !== null;
            expect(runs).toBeLessThan(200);
          }
          expect(held(torn.memory)).toEqual(held(whole.memory));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("goes on where it stopped and does not ask again for what it has", async () => {
    const comments = Array.from({ length: 20 }, (_, index) => said(200 + index, { minutes: index }));
    const { memory, run } = world();
    const first = pastOf({ comments, pageSize: 2, budget: 2 });
    const { stopped } = await run(first);
    expect(stopped).toEqual({ by: "rate limit", until: AT + 3_600_000 });
    expect([first.asked(), memory.rows.size]).toEqual([3, 8]);
    const second = pastOf({ comments, pageSize: 2, budget: 9 });
    await run(second);
    expect([second.asked(), memory.rows.size]).toEqual([5, 20]);
  });
});

test("a comment on a header has the language of the other files that were commented on in its pull request [004-08]", async () => {
  const { memory, run } = world();
  const on = (id: number, pull: number, path: string) => ({ ...said(id, { minutes: id, pull }), path });
  const comments = [
    on(1, 1, "include/pool.h"),
    on(2, 1, "src/pool.cpp"),
    on(3, 1, "lib/list.c"),
    on(4, 2, "include/list.h"),
    on(5, 2, "lib/list.c"),
  ];
  await run(pastOf({ comments, pageSize: 50 }));
  const languages = new Map(memory.all().map(({ sourceId, language }) => [sourceId, language]));
  expect([languages.get("1"), languages.get("4")]).toEqual(["cpp", "c"]);
});
