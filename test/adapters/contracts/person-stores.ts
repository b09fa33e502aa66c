// What is kept about one person, found by login or id wherever it stands; and nothing of it once
// they are erased.
import { describe, expect, test } from "vitest";
import type { CommandJob } from "../../../src/domain/command.ts";
import type { PersonStore } from "../../../src/store/upkeep/people.ts";
import type { Store } from "../../../src/wire/store.ts";
import { review } from "./ledger.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "./memory.ts";
import { reviewJob } from "./queue.ts";

export const LOGIN = "Quokka-77canary";
const ID = 770_012_345;
const URL_OF = "https://github.com/acme/shop/pull/7#discussion_r99887766";
const TRACES = [LOGIN.toLowerCase(), String(ID), "r99887766", "77canari", "quokka", "burrow"];
/** Wrote nothing and decided nothing: somebody else names them. */
const MENTIONED = "zorilla-88canary";

/** What stands in `all` of the person, who is in it once the store was filled. */
export function tracesIn(all: string): readonly string[] {
  const text = all.toLowerCase();
  return TRACES.filter((trace) => text.includes(trace));
}

/** A store, closed again, in which a person stands wherever one can. */
export async function fillWithPerson(store: Store): Promise<void> {
  const said = memoryRecord({
    corpus: "review_comment",
    sourceId: "c1",
    text: "Retry the handshake twice\nburrow@example.org knows why",
    hunk: '+retry(2) # ask me: "burrow@example.org"',
    provenance: { url: URL_OF, author: LOGIN, authorIsBot: false, sha: null, pull: 7, at: 1 },
  });
  const finding = memoryRecord({
    corpus: "finding",
    sourceId: "#7/fnd_0123456789ab",
    text: `Handshake without a timeout, as @${LOGIN} said`,
    hunk: `+maintainer = "${LOGIN}@example.org"\n+Co-authored-by: ${ID}+${LOGIN}@users.noreply.github.com\n+team@example.org`,
    replies: [`thanks @${LOGIN.toLowerCase()}`, `first line\n${LOGIN}@example.org and @${MENTIONED}`],
    outcome: "posted",
  });
  await store.memory.remember(
    [said, finding].map((record) => ({ record, vector: vectorAt(0) })),
    SPACE,
  );
  const by = { id: ID, login: LOGIN, access: "write", isBot: false } as const;
  const other = { ...by, id: 5, login: "wren" };
  const piece = {
    memoryId: finding.id,
    kind: "reply",
    stance: "declines",
    at: 1,
    sha: null,
    withdrawnAt: null,
  } as const;
  await store.evidence.add(SHOP, [
    { ...piece, key: "reply:1", by, text: "by design", url: URL_OF },
    { ...piece, key: "reply:2", by: other, text: `I agree with @${LOGIN}`, url: null },
  ]);
  const rejections = [{ by: LOGIN, reason: "by design", url: URL_OF, at: 1, isReaction: false, pull: null }];
  const decided = { at: 1, by: LOGIN, reason: "by design", sha: null, weight: "reason" } as const;
  await store.evidence.decide(SHOP, [{ memoryId: finding.id, outcome: "declined", decided, rejections }]);

  const { key, repo } = reviewJob(7, "a");
  const comment = {
    place: "conversation",
    id: 9,
    rootId: null,
    url: URL_OF,
    at: "2026-01-02T03:04:05Z",
    path: null,
    hunk: null,
  };
  const command = (id: number, author: { id: number; login: string }, authorId: number) =>
    ({
      kind: "command",
      key: `${key}!conversation-${id}`,
      delivery: `c${id}`,
      installationId: 7,
      repo,
      number: 7,
      headSha: null,
      command: { kind: "verb", verb: "help", rest: "" },
      comment: { ...comment, id, author, url: author.id === ID ? URL_OF : "https://github.com/acme/shop/pull/7" },
      pull: { title: "Handshake", authorId },
    }) as unknown as CommandJob;
  const received = (id: string) => ({ id, event: "issue_comment", receivedAt: 1, meaning: null });
  await store.queue.accept(received("c1"), command(1, { id: ID, login: LOGIN }, 5));
  await store.queue.accept(received("c2"), command(2, { id: 5, login: "wren" }, ID));
  await store.queue.drop(key, `stopped by @${LOGIN}`);
  await store.decisions.pause(key, LOGIN, 1);
  await store.decisions.decline(key, { findingId: "f1", by: LOGIN, reason: "by design", isWriter: true }, 1);
  await store.answers.record({ comment: "c1", repo: SHOP, thread: "t", userId: ID, kind: "command", at: 1 });
  const memory = { ...review("h1").memory, commenters: [{ author: `@${LOGIN}`, comments: 2 }] };
  const written = { ...review("h1"), memory, walkthrough: `declined by @${LOGIN}`, heldBackBy: { by: LOGIN } };
  await store.ledger.save(reviewJob(7, "a"), written as ReturnType<typeof review>, 1);
  await store.replies.keep(key, "q", `{"value":"as @${LOGIN} said"}`, 1);
  await store.close();
}

export interface PersonHarness {
  readonly stores: PersonStore;
  readonly store: Pick<Store, "recall">;
  /** All that is kept, as whoever has the disk or the database could read it. */
  everything(): string | Promise<string>;
}

/** What every store promises a person. @param open a store that fillWithPerson filled */
export function personContract(name: string, open: () => Promise<PersonHarness>): void {
  describe(`${name} keeps its promises to a person`, () => {
    test("a person is found everywhere by id, and by login in any case", async () => {
      const { stores } = await open();
      const byLogin = await stores.rows({ login: LOGIN.toLowerCase() });
      expect(await stores.rows({ id: ID })).toEqual(byLogin);
      expect([...new Set(byLogin.map(({ kept }) => kept.replace(/^.*\//, "")))].sort()).toEqual([
        "answers",
        "contents",
        "contents.hunk",
        "contents.replies",
        "contents.text",
        "decided",
        "declined",
        "evidence",
        "evidence.text",
        "jobs",
        "paused",
        "rejections",
        "reviews.review",
      ]);
      expect(await stores.rows({ login: "nobody-here" })).toEqual([]);
    });

    test("who is erased leaves no byte, and the team keeps what it learnt [T20]", async () => {
      const { stores, store, everything } = await open();
      expect(tracesIn(await everything()).length).toBeGreaterThan(3);
      expect(await stores.erase({ login: LOGIN }, false)).toMatchObject({ logins: 1, ids: 1, removed: 2 });
      expect(await stores.rows({ login: LOGIN })).toEqual([]);
      expect(await stores.erase({ login: LOGIN }, false)).toMatchObject({ removed: 0, anonymised: 0 });
      const all = (await everything()).toLowerCase();
      expect(tracesIn(all)).toEqual([]);
      expect(all).toContain("retry the handshake twice");
      const [hits = []] = await store.recall.matching(scopeOf(), ["handshake"], 9, {});
      const found = await store.recall.records(
        scopeOf(),
        hits.map(({ id }) => id),
      );
      expect(found.map(({ provenance }) => [provenance.author, provenance.url]).toSorted()[0]).toContain("ghost");
      expect(found.find(({ corpus }) => corpus === "finding")).toMatchObject({
        text: `Handshake without a timeout, as @ghost said`,
        hunk: '+maintainer = "‹redacted:email›"\n+Co-authored-by: ‹redacted:email›\n+team@example.org',
        replies: ["thanks @ghost", `first line\n‹redacted:email› and @${MENTIONED}`],
        outcome: "declined",
        decided: { by: "ghost", reason: "by design" },
      });
    });

    test("who is only mentioned, or only known by an address, is erased as well [T20]", async () => {
      const { stores, everything } = await open();
      expect(await stores.rows({ login: MENTIONED.toUpperCase() })).toMatchObject([
        { kept: expect.stringContaining("contents.replies") },
      ]);
      expect(await stores.erase({ login: MENTIONED }, false)).toMatchObject({ logins: 1, ids: 0, anonymised: 1 });
      expect(await stores.rows({ login: MENTIONED })).toEqual([]);
      await stores.erase({ login: "Team@example.org" }, false);
      const all = (await everything()).toLowerCase();
      expect(all).not.toContain(MENTIONED);
      expect(all).not.toContain("team@example.org");
      expect(all).toContain("burrow@example.org");
    });

    test("whose texts go as well is quoted nowhere", async () => {
      const { stores, everything } = await open();
      await stores.erase({ id: ID }, true);
      const all = (await everything()).toLowerCase();
      expect(tracesIn(all)).toEqual([]);
      expect(all).not.toContain("retry the handshake twice");
      expect(all).not.toContain("by design");
      expect(all).toContain("handshake without a timeout");
    });
  });
}
