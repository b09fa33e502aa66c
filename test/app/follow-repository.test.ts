// Memory follows the repository: what stands at the head of the default branch is what is
// remembered, whoever put it there and however, and what is gone, withdrawn or made private is
// treated so.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { labelOf, memoryRows } from "./memory-rows.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ owners: ["acme", "globex"] });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

const GUIDE = "# Guide\n\n## Retries\n\nRetry thrice.\n\n## Errors\n\nTell them apart.\n";
const sources = (repository: { readonly id: number }) => memoryRows(harness, repository).map(({ source }) => source);
const blobs = () => harness.world.requests.filter(({ path }) => path.includes("/git/blobs/")).length;
/**
 * Does something, and tells how many files were asked for until all jobs of the repository had
 * ended.
 */
async function asked(repository: { readonly id: number }, act: () => Promise<unknown>): Promise<number> {
  const before = blobs();
  await act();
  await harness.followed(repository);
  return blobs() - before;
}

describe("a push to the default branch", () => {
  test("has the documents remembered, and from then on only those that changed are asked for [003-45]", async () => {
    const { world } = harness;
    const shop = await world.repository("acme", "shop", {
      files: { "src/a.py": "def a():\n    return 1\n", "notes.txt": "x\n" },
      private: true,
    });
    expect(
      await asked(shop, () => world.commit(shop, { "docs/guide.md": GUIDE, "README.md": "# Shop\n\nWe sell.\n" })),
    ).toBe(2);
    expect(sources(shop)).toEqual(["README.md#shop", "docs/guide.md#errors", "docs/guide.md#retries"]);
    const [readme] = memoryRows(harness, shop);
    expect(readme?.url).toMatch(/^https:\/\/github\.com\/acme\/shop\/blob\/[0-9a-f]{40}\/README\.md#shop$/);

    const changed = GUIDE.replace("Retry thrice.", "Retry twice.");
    expect(await asked(shop, () => world.commit(shop, { "docs/guide.md": changed }))).toBe(1);
    expect(
      memoryRows(harness, shop)
        .map(({ text }) => text)
        .join("\n"),
    ).toContain("Retry twice.");
    expect(await asked(shop, () => world.commit(shop, { "src/a.py": "def a():\n    return 2\n" }))).toBe(0);

    expect(await asked(shop, () => world.commit(shop, { "docs/guide.md": null, "README.md": null }))).toBe(0);
    expect(sources(shop)).toEqual([]);
    expect((await harness.followed(shop)).at(-1)).toMatch(
      /^index: indexed [0-9a-f]{12}: 0 files read, 0 unchanged, 2 removed, 0 waiting; 3 forgotten/,
    );
  });

  test("is followed through a rename, a merge and a forced push: the tree at the new head is the truth [003-45]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "moves", { files: { "docs/a.md": "Hello.\n" } });
    await asked(repository, () => world.commit(repository, { "docs/b.md": "More.\n" }));
    await asked(repository, () => world.commit(repository, { "docs/a.md": null, "docs/c.md": "Hello.\n" }));
    expect(sources(repository)).toEqual(["docs/b.md", "docs/c.md"]);

    const pull = await world.pullRequest(repository, { title: "docs: tell more", files: { "docs/d.md": "Most.\n" } });
    await harness.settled(pull);
    expect(sources(repository)).toEqual(["docs/b.md", "docs/c.md"]);
    await asked(repository, () => world.merge(pull));
    expect(sources(repository)).toEqual(["docs/b.md", "docs/c.md", "docs/d.md"]);

    await asked(repository, () => world.rewrite(repository, { "docs/e.md": "Anew.\n" }));
    expect(sources(repository)).toEqual(["docs/e.md"]);
  });

  test("a superseded one leads to the newest head, and a late old delivery undoes nothing [003-45]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "late", { files: { "docs/a.md": "First.\n" } });
    await world.commit(repository, { "docs/a.md": "Second.\n" });
    const old = world.deliveries.at(-1);
    await world.commit(repository, { "docs/a.md": "Third.\n" });
    await harness.followed(repository);
    await world.deliver("push", old?.payload);
    await harness.followed(repository);
    expect(memoryRows(harness, repository).map(({ text }) => text)).toEqual(["Third."]);
  });

  test("is ignored with a reason when it is to another branch, a tag, or a branch that was deleted", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "branches", { files: { "docs/a.md": "Hello.\n" } });
    await world.commit(repository, { "docs/a.md": "Bye.\n" }, "topic");
    const push = world.deliveries.at(-1)?.payload as Record<string, unknown>;
    const reasons = [world.deliveries.at(-1)?.id ?? ""];
    for (const change of [
      { ref: "refs/tags/v1" },
      { ref: "refs/heads/main", deleted: true },
      { after: 1, ref: null },
    ]) {
      reasons.push((await world.deliver("push", { ...push, ...change })).id);
    }
    expect(reasons.map((id) => harness.outcomeOf(id))).toEqual([
      { outcome: "ignored", reason: "the push is not to the default branch" },
      { outcome: "ignored", reason: "a tag was pushed" },
      { outcome: "ignored", reason: "the branch was deleted" },
      { outcome: "ignored", reason: expect.stringMatching(/^malformed payload: ref/) },
    ]);
    expect(sources(repository)).toEqual([]);
  });

  test("asks with a token that reads this one repository and can do nothing else", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "narrow", { files: { "docs/a.md": "Hello.\n" } });
    const before = world.requests.length;
    await asked(repository, () => world.commit(repository, { "docs/a.md": "Hello there.\n" }));
    const tokens = world.requests.slice(before).filter(({ path }) => path.endsWith("/access_tokens"));
    expect(tokens[0]?.body).toEqual({
      repository_ids: [repository.id],
      permissions: { contents: "read", metadata: "read" },
    });
    for (const { body } of tokens) expect(body).toMatchObject({ permissions: { contents: "read", metadata: "read" } });
    expect(
      world.requests.slice(before).filter(({ method, path }) => method !== "GET" && !path.endsWith("/access_tokens")),
    ).toEqual([]);
  });

  test("forgets documents where the configuration turns them off, and remembers no code", async () => {
    const { world } = harness;
    const files = { "src/cart.py": "def total(items):\n    return len(items)\n", "docs/a.md": "Hello.\n" };
    const repository = await world.repository("acme", "documents", { files });
    const configured = (text: string) => world.commit(repository, { ".kodiai.yml": `knowledge: {corpora: ${text}}\n` });
    await asked(repository, () => configured("{docs: true}"));
    expect(sources(repository)).toEqual(["docs/a.md"]);
    await asked(repository, () => configured("{docs: false}"));
    expect(sources(repository)).toEqual([]);
    expect((await harness.followed(repository)).at(-1)).toBe(
      "index: skipped: the configuration remembers no documents",
    );
  });

  test("that GitHub cannot answer for now is followed later, and reviews go on meanwhile", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "trouble", { files: { "docs/a.md": "Hello.\n" } });
    world.fail({ match: { method: "GET", path: /\/git\/trees\// }, status: 502 });
    await world.commit(repository, { "docs/a.md": "Hello again.\n" });
    const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    expect(await harness.settled(pull)).toMatchObject({ state: "done" });
    expect(sources(repository).filter((source) => source.startsWith("docs/"))).toEqual([]);
    await harness.hurry();
    await harness.followed(repository);
    expect(sources(repository)).toContain("docs/a.md");
  });

  test("with secrets in a document leaves none of them in memory", async () => {
    const { world } = harness;
    const token = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
    const repository = await world.repository("acme", "leak", { files: { "a.txt": "a" } });
    await asked(repository, () => world.commit(repository, { "docs/a.md": `Log in with ${token}.\n` }));
    const [row] = memoryRows(harness, repository);
    expect(row?.text).toContain("‹redacted:");
    const bytes = readdirSync(harness.dataDir).map((file) => readFileSync(join(harness.dataDir, file), "latin1"));
    expect(bytes.filter((text) => text.includes(token))).toEqual([]);
  });
});

describe("the App comes and goes", () => {
  test("when it is installed, the documents of each repository are remembered at once", async () => {
    const { world } = harness;
    const names = ["one", "two", "empty"];
    const [one, two, empty] = await Promise.all(
      names.map((name) =>
        world.repository("globex", name, {
          files: name === "empty" ? { "a.txt": "a" } : { "docs/a.md": `Of ${name}.\n` },
          private: true,
        }),
      ),
    );
    if (one === undefined || two === undefined || empty === undefined) throw new Error("no repository");
    await world.install("globex", [one, two]);
    expect(await harness.followed(one)).toEqual([
      expect.stringMatching(/^index: indexed /),
      "history: imported: 0 comments read: 0 added, 0 updated, 0 unchanged, 0 left out",
    ]);
    await harness.followed(two);
    expect([one, two].map((each) => memoryRows(harness, each).map(({ text }) => text))).toEqual([
      ["Of one."],
      ["Of two."],
    ]);
    expect(labelOf(harness, one)?.name).toBe("globex/one private");
    await world.reach(empty, true);
    expect(await harness.followed(empty)).toEqual([
      expect.stringMatching(/^index: indexed .*: 0 files read/),
      expect.stringMatching(/^history: imported: 0 comments/),
    ]);

    await world.install("globex", [one], false);
    expect((await harness.followed(one)).at(-1)).toBe("forget: forgot 1 memory and 0 reviews");
    expect(labelOf(harness, one)).toBeNull();
    expect(sources(two)).toEqual(["docs/a.md"]);
  });

  test("of a repository that was taken away no file of the data folder keeps a word [T20]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "zanzibar", { files: { "docs/a.md": "Umbrage bivouac.\n" } });
    world.person("quillon", { permission: "write", association: "MEMBER" });
    await asked(repository, () => world.commit(repository, { "docs/b.md": "Thistledown lagoon.\n" }));
    const files = { "ops/wanderlust.py": BACKUP };
    const pull = await world.pullRequest(repository, { title: "Add the marzipan depot", author: "quillon", files });
    await harness.settled(pull);
    await world.comment(pull, "quillon", "@kodiai remember the gossamer rule");
    await harness.settled(pull);
    const words = ["zanzibar", "bivouac", "lagoon", "wanderlust", "marzipan", "quillon", "gossamer"];
    const kept = () => {
      const bytes = readdirSync(harness.dataDir).map((file) => readFileSync(join(harness.dataDir, file), "latin1"));
      return words.filter((word) => bytes.some((text) => text.toLowerCase().includes(word)));
    };
    await asked(repository, () => Promise.resolve());
    expect(kept()).toEqual(words);
    const reported = world.deliveries.filter(({ payload }) => JSON.stringify(payload).includes("zanzibar"));
    await world.reach(repository, false);
    expect((await harness.followed(repository)).at(-1)).toMatch(/^forget: forgot [1-9]/);
    expect(kept()).toEqual([]);
    // GitHub sends them once more, late.
    for (const { event, payload } of reported) await world.deliver(event, payload);
    expect(reported.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["push", "pull_request", "issue_comment"]),
    );
    await until(
      "all jobs end",
      () => harness.rows("SELECT 1 FROM jobs WHERE state IN ('waiting', 'running')").length === 0,
    );
    expect(kept()).toEqual([]);
    expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("a repository that is taken away or deleted is forgotten, with its reviews; old deliveries about it change nothing [R19]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "leaving", { files: { "docs/a.md": "Hello.\n" } });
    await asked(repository, () => world.commit(repository, { "docs/b.md": "More.\n" }));
    const push = world.deliveries.at(-1)?.payload;
    const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await harness.settled(pull);
    expect(memoryRows(harness, repository)).toHaveLength(3);

    await world.reach(repository, false);
    expect((await harness.followed(repository)).at(-1)).toBe("forget: forgot 3 memories and 1 review");
    await world.deliver("push", push);
    expect(await harness.followed(repository)).toEqual(["forget: forgot 0 memories and 0 reviews"]);
    expect(labelOf(harness, repository)).toBeNull();

    const other = { id: world.installations.get("globex"), account: { login: "acme", id: 1 } };
    const removed = world.deliveries.findLast(({ event }) => event === "installation_repositories")?.payload;
    await asked(repository, () => world.reach(repository, true));
    expect(sources(repository)).toEqual(["docs/a.md", "docs/b.md"]);
    // The same again, and one that an installation sends which has lost it to this one.
    for (const installation of [undefined, other]) {
      await world.deliver("installation_repositories", {
        ...(removed as object),
        ...(installation === undefined ? {} : { installation }),
      });
      expect((await harness.followed(repository)).at(-1)).toBe("forget: skipped: the App still reaches the repository");
    }

    await world.deleteRepository(repository);
    expect((await harness.followed(repository)).at(-1)).toBe("forget: forgot 2 memories and 0 reviews");
  });

  test("one that is removed while the App is suspended is forgotten when GitHub confirms it [R19]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "switched-off", { files: { "docs/a.md": "Vermilion.\n" } });
    await asked(repository, () => world.commit(repository, { "docs/b.md": "More.\n" }));
    let isSuspended = true;
    const body = { message: "This installation has been suspended" };
    world.fail({ match: { path: /access_tokens$/ }, status: 403, body, times: 1_000, chance: () => isSuspended });
    await world.reach(repository, false);
    const waiting = () => {
      const key = `github.com/${repository.id}:forget`;
      const [row] = harness.rows(`SELECT job FROM jobs WHERE key = '${key}' AND state = 'waiting'`);
      return row === undefined ? null : (JSON.parse(String(row.job)) as Record<string, unknown>);
    };
    const reported = () => harness.rows(`SELECT outcome FROM jobs WHERE key = 'github.com/${repository.id}:forget'`);
    await until("it was asked", () => reported().some(({ outcome }) => outcome !== null));
    expect(reported()[0]).toEqual({
      outcome:
        "not forgotten yet: GitHub refuses: the installation is suspended, or a permission was withdrawn; GitHub is asked again",
    });
    expect(sources(repository)).toEqual(["docs/a.md", "docs/b.md"]);
    await harness.hurry();
    // Each time it waits longer.
    await until("it was asked twice", () => waiting()?.asked === 2);
    isSuspended = false;
    await harness.hurry();
    expect((await harness.followed(repository)).at(-1)).toBe("forget: forgot 2 memories and 0 reviews");
    expect(labelOf(harness, repository)).toBeNull();
    const bytes = readdirSync(harness.dataDir).map((file) => readFileSync(join(harness.dataDir, file), "latin1"));
    expect(bytes.filter((text) => /vermilion|switched-off/i.test(text))).toEqual([]);
  });
});

describe("a repository changes its label", () => {
  test("its memory follows its name, its owner and who may read it [R19][T16]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "before", { files: { "a.txt": "a" } });
    await asked(repository, () => world.commit(repository, { "docs/a.md": "Hello.\n" }));
    const owner = labelOf(harness, repository)?.owner;
    expect(labelOf(harness, repository)?.name).toBe("acme/before public");

    await asked(repository, () => world.renameRepository(repository, "after"));
    expect(labelOf(harness, repository)).toEqual({ name: "acme/after public", owner });
    await asked(repository, () => world.setPrivate(repository, true));
    expect(labelOf(harness, repository)?.name).toBe("acme/after private");
    await asked(repository, () => world.setPrivate(repository, false));
    expect(labelOf(harness, repository)?.name).toBe("acme/after public");
    await asked(repository, () => world.transfer(repository, "globex"));
    expect(labelOf(harness, repository)?.name).toBe("globex/after public");
    expect(labelOf(harness, repository)?.owner).not.toBe(owner);
    expect(sources(repository)).toEqual(["docs/a.md"]);
  });

  test("what GitHub says now counts, not the order of deliveries [R4][T16]", async () => {
    const { world } = harness;
    const repository = await world.repository("acme", "order", { files: { "a.txt": "a" } });
    await asked(repository, () => world.commit(repository, { "docs/a.md": "Hello.\n" }));
    const published = { action: "publicized", repository: { ...repository.json } };
    await asked(repository, () => world.setPrivate(repository, true));
    const installation = { id: world.installations.get("acme") };
    const sender = { login: "mona", id: 1 };
    await asked(repository, () => world.deliver("repository", { ...published, installation, sender }));
    expect(labelOf(harness, repository)?.name).toBe("acme/order private");
  });
});
