// What is kept about one person, found by login or id wherever it stands; and no byte of it once they are erased.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backUpStore } from "../../../src/adapters/sqlite/backup.ts";
import { sqlitePersonBooks } from "../../../src/adapters/sqlite/person-books.ts";
import { mentions, withoutMentions } from "../../../src/adapters/sqlite/person-rows.ts";
import { restoreStore } from "../../../src/adapters/sqlite/restore.ts";
import { DEFAULT_LIMITS, openSearch } from "../../../src/adapters/sqlite/search-memory.ts";
import type { CommandJob } from "../../../src/domain/command.ts";
import { openStore } from "../../../src/wire/store.ts";
import { review } from "../contracts/ledger.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../contracts/memory.ts";
import { reviewJob } from "../contracts/queue.ts";

const LOGIN = "Quokka-77canary";
const ID = 770_012_345;
const URL_OF = "https://github.com/acme/shop/pull/7#discussion_r99887766";

let root: string;
let home: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "kodiai-person-"));
  home = join(root, "home");
  await fill();
});
afterEach(() => rmSync(root, { recursive: true }));

async function fill(): Promise<void> {
  const store = openStore(home);
  const said = memoryRecord({
    corpus: "review_comment",
    sourceId: "c1",
    text: "Retry the handshake twice",
    provenance: { url: URL_OF, author: LOGIN, authorIsBot: false, sha: null, pull: 7, at: 1 },
  });
  const finding = memoryRecord({
    corpus: "finding",
    sourceId: "#7/fnd_0123456789ab",
    text: `Handshake without a timeout, as @${LOGIN} said`,
    replies: [`thanks @${LOGIN.toLowerCase()}`],
    outcome: "posted",
  });
  await store.memory.remember(
    [said, finding].map((record) => ({ record, vector: vectorAt(0) })),
    SPACE,
  );
  const by = { id: ID, login: LOGIN, access: "write", isBot: false, isFirstTime: false } as const;
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
  const against = [{ by: LOGIN, isWriter: true, reason: "by design", url: URL_OF, at: 1 }];
  const decided = { at: 1, by: LOGIN, reason: "by design", sha: null, weight: "reason" } as const;
  await store.evidence.decide(SHOP, [{ memoryId: finding.id, outcome: "declined", decided, against }]);
  const rejection = { by: LOGIN, isWriter: true, reason: "by design", url: URL_OF, at: 1 };
  await store.past?.reject(SHOP, finding.id, rejection);

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
  const received = (id: string) => ({ id, event: "issue_comment", receivedAt: 1 });
  await store.queue.accept(received("c1"), command(1, { id: ID, login: LOGIN }, 5));
  await store.queue.accept(received("c2"), command(2, { id: 5, login: "wren" }, ID));
  await store.queue.drop(key, `stopped by @${LOGIN}`, 1);
  await store.decisions.pause(key, LOGIN, 1);
  await store.decisions.decline(key, { findingId: "f1", by: LOGIN, reason: "by design" }, 1);
  await store.answers.record({ comment: "c1", repo: SHOP, thread: "t", userId: ID, kind: "command", at: 1 });
  const written = { ...review("h1"), walkthrough: `declined by @${LOGIN}`, heldBackBy: { by: LOGIN } };
  await store.ledger.save(reviewJob(7, "a"), written as ReturnType<typeof review>, 1);
  await store.close();
}

const bytes = (folder = home) =>
  readdirSync(folder)
    .filter((name) => /\.db/.test(name))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n")
    .toLowerCase();
const TRACES = [LOGIN.toLowerCase(), String(ID), "r99887766", "77canari", "quokka"];
const left = (folder = home) => {
  const all = bytes(folder);
  return TRACES.filter((trace) => all.includes(trace));
};

describe("a person", () => {
  test("is found by login in any case or by id, wherever they stand", async () => {
    const books = sqlitePersonBooks(home, Date.now);
    const byLogin = await books.rows({ login: LOGIN.toLowerCase() });
    expect(await books.rows({ id: ID })).toEqual(byLogin);
    expect([...new Set(byLogin.map(({ kept }) => kept))].sort()).toEqual([
      "memory.db/against",
      "memory.db/contents",
      "memory.db/contents.replies",
      "memory.db/contents.text",
      "memory.db/decided",
      "memory.db/evidence",
      "memory.db/evidence.text",
      "memory.db/rejections",
      "queue.db/answers",
      "queue.db/declined",
      "queue.db/jobs",
      "queue.db/paused",
      "queue.db/reviews.review",
    ]);
    expect(await books.rows({ login: "nobody-here" })).toEqual([]);
    books.close();
  });

  test("that is erased leaves no byte, and the team keeps what it learnt", async () => {
    expect(left().length).toBeGreaterThan(3);
    const books = sqlitePersonBooks(home, Date.now);
    expect(await books.erase({ login: LOGIN }, false)).toMatchObject({ logins: 1, ids: 1, removed: 2 });
    expect(await books.rows({ login: LOGIN })).toEqual([]);
    expect(await books.erase({ login: LOGIN }, false)).toMatchObject({ removed: 0, anonymised: 0 });
    books.close();
    expect(left()).toEqual([]);
    expect(bytes()).toContain("retry the handshake twice");
    const search = openSearch(join(home, "memory.db"), DEFAULT_LIMITS, () => {});
    const found = search.records(
      scopeOf(),
      search.matching(scopeOf(), "handshake", 9, {}).map(({ id }) => id),
    );
    search.close();
    expect(found.map(({ provenance }) => [provenance.author, provenance.url]).toSorted()[0]).toContain("ghost");
    expect(found.find(({ corpus }) => corpus === "finding")).toMatchObject({
      text: `Handshake without a timeout, as @ghost said`,
      replies: ["thanks @ghost"],
      outcome: "declined",
      decided: { by: "ghost", reason: "by design" },
    });
  });

  test("whose texts go as well is quoted nowhere", async () => {
    const books = sqlitePersonBooks(home, Date.now);
    await books.erase({ id: ID }, true);
    books.close();
    expect(left()).toEqual([]);
    expect(bytes()).not.toContain("retry the handshake twice");
    expect(bytes()).not.toContain("by design");
    expect(bytes()).toContain("handshake without a timeout");
  });

  test("does not come back with a backup that is older", async () => {
    const copy = join(root, "copy");
    await backUpStore(home, copy, 1_000);
    const books = sqlitePersonBooks(home, Date.now);
    await books.erase({ login: LOGIN }, false);
    books.close();
    const list = readFileSync(join(home, "forgotten.jsonl"), "latin1");
    expect(list.toLowerCase()).not.toContain("quokka");
    for (const name of readdirSync(home)) if (/\.db/.test(name)) rmSync(join(home, name));
    expect(left(copy).length).toBeGreaterThan(0);
    await restoreStore(copy, home, Date.now());
    expect(existsSync(join(home, "memory.db"))).toBe(true);
    expect(left()).toEqual([]);
  });
});

test("a name is taken out wherever it stands alone, and nothing else changes", async () => {
  expect(withoutMentions("@Wren, @wren's and @wren-2; wren", "wren")).toBe("@ghost, @ghost's and @wren-2; wren");
  expect(withoutMentions('{"by":"wren","owner":"wren"}', "Wren")).toBe('{"by":"ghost","owner":"wren"}');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "İ", "ß@wren", "𝒲@WREN"), fc.string(), (before, odd, after) => {
      const text = `${before}${odd} @wren ${after}`;
      expect(mentions(withoutMentions(text, "wren"), "wren")).toBe(false);
    }),
    { numRuns: 50 },
  );
});
