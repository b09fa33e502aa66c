// From a pull request to the words that memory is asked with, through the whole pipeline: what
// stands in the query, in which order, how much of it, and what goes first when it does not fit.

import { describe, expect, test } from "vitest";
import type { PullRequest } from "../../src/domain/pull-request.ts";
import { PLAIN_CHANGE } from "../../src/flows/review/review-ports.ts";
import { writeReview } from "../../src/flows/review/review-pull-request.ts";
import { inspector, knownRules } from "../../src/wire/rules.ts";
import { aJob, aPull, fakePullRequests, REPO } from "../fakes/pull-requests.ts";
import { atDistance, embedder, memory, memoryStore, NOW } from "../retrieve/retrieve-builders.ts";
import { addedFile, type Change, precedentsOf } from "./pipeline.ts";

const OWN = { repo: `github.com/${REPO.id}`, repoName: "acme/player", ownerId: REPO.ownerId } as const;
const SOME = [{ record: memory("mem_1", OWN), vector: atDistance(0.1) }];

/** One line that no risk and no rule is about. */
const LINE = "x = 1\n";
const files = (...paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, LINE]));

async function asked(pull: Partial<PullRequest>, more: Change = {}) {
  const world = { pull: aPull({ body: null, ...pull }), ...more.world };
  const precedents = await precedentsOf({
    memories: SOME,
    embedder: embedder(),
    now: NOW,
    files: files("notes"),
    ...more,
    world,
  });
  if (precedents.query === null) throw new Error(`not searched: ${precedents.gate.reason}`);
  return precedents.query;
}

const author = (association: string) => ({ login: "mona", id: 583231, type: "User" as const, association });

describe("the query of a pull request", () => {
  test("holds title, body, type, languages, risks, author and paths, one after the other, each within its number [000-02][000-03][000-04][000-05][000-06][000-07][000-08]", async () => {
    const many = Array.from({ length: 18 }, (_, at) => `a${at}/f.py`);
    const { text, dropped } = await asked(
      {
        title: "fix(auth)!: rotate refresh tokens on logout",
        body: `\n\n  ${"Old tokens stayed valid after a rotation. ".repeat(9)}`,
        author: author("MEMBER"),
      },
      {
        files: files(
          ...["src/auth/token.cpp", "src/auth/Token.cs", "src/auth/token.go", "src/auth/token.rb", "src/auth/token.kt"],
          ...["package.json", ".github/workflows/ci.yml", "db/migrations/0007_tokens.sql"],
          ...many,
        ),
      },
    );
    const lines = text.split("\n");
    expect(lines[0]).toBe("fix(auth)!: rotate refresh tokens on logout");
    expect(lines[1]).toMatch(/^Old tokens stayed valid after a rotation\. Old /);
    expect(lines[1]?.length).toBeGreaterThan(190);
    expect(lines[1]?.length).toBeLessThanOrEqual(200);
    expect(lines[2]).toBe("[fix]");
    expect(lines[3]).toMatch(/^Languages: Python, (?:C\+\+|C#|Go|Kotlin|Ruby)(?:, [^,]+){3}$/);
    expect(lines[3]?.split(", ")).toHaveLength(5);
    expect(lines[4]).toBe(
      "Risk: touches authentication or authorization code; changes dependency manifests; changes CI or infrastructure",
    );
    expect(lines[5]).toBe("Author: core");
    expect(lines[6]).toBe("src/auth/token.cpp");
    expect(text.length).toBeLessThanOrEqual(600);
    expect(dropped).toEqual([`paths after the first ${lines.length - 6} of 15`]);
  });

  test("has a line for each issue that the change closes and that could be read", async () => {
    const issues = { 90: { title: "Pages are not cached", body: "Send an **etag** for each page." } };
    const { text } = await asked({ title: "Tidy", body: "Closes #90, fixes #91" }, { world: { issues } });
    const lines = text.split("\n");
    expect(lines.filter((line) => line.includes("Pages are not cached"))).toEqual([expect.stringContaining("etag")]);
    expect(text).not.toContain("#91:");
  });

  test("names fifteen files when they are short, in the order of the change [000-08]", async () => {
    const paths = Array.from({ length: 20 }, (_, at) => `m${String(at).padStart(2, "0")}.cpp`);
    const { text } = await asked({ title: "Tidy" }, { files: files(...paths) });
    expect(text.split("\n").slice(-15)).toEqual(paths.slice(0, 15));
    expect(text).not.toContain("m15.cpp");
  });

  test("is at most 600 characters long and gives up paths, author, risks and languages before the title [000-09]", async () => {
    const long = Array.from(
      { length: 15 },
      (_, at) => `packages/checkout/src/price/rounding/strategy-${at}/half-even.ts`,
    );
    const pull = { title: "Round prices half to even", body: "b".repeat(180), author: author("OWNER") };
    const change = { files: files("src/auth/login.ts", ...long.slice(0, 14)) };
    const { text, dropped } = await asked(pull, { files: files(...long) });
    expect(text.length).toBeLessThanOrEqual(600);
    const shown = text.split("\n").filter((line) => line.startsWith("packages/"));
    expect(shown).toEqual(long.slice(0, shown.length));
    expect(dropped).toEqual([`paths after the first ${shown.length} of 15`]);

    // Longer and longer titles: what is dropped goes in one order, and a line is whole or gone.
    const before: string[] = [];
    for (const repeats of [29, 30, 33, 36, 50]) {
      const title = `Round prices ${"and totals ".repeat(repeats)}`.trim();
      const squeezed = await asked({ ...pull, title }, change);
      expect(squeezed.text.split("\n")[0]).toBe(title);
      expect(squeezed.text.length).toBeLessThanOrEqual(600);
      before.push(squeezed.dropped.map((part) => part.split(" ")[0]).join());
    }
    expect(before).toEqual([
      "paths",
      "paths,author",
      "paths,author,risks",
      "paths,author,risks,languages",
      "paths,author,risks,languages,body",
    ]);
  });

  test("is as long as queryChars says, which is 800 at most [000-09]", async () => {
    const long = Array.from({ length: 15 }, (_, at) => `packages/checkout/src/price/rounding/half-even-${at}.ts`);
    const lengthAt = async (queryChars: number) => {
      const config = `knowledge: {retrieval: {queryChars: ${queryChars}}}`;
      return (await asked({ title: "Tidy" }, { files: files(...long), config })).text.length;
    };
    expect(await lengthAt(300)).toBeLessThanOrEqual(300);
    const most = await lengthAt(800);
    expect([most > 600, most <= 800]).toEqual([true, true]);
    await expect(lengthAt(801)).rejects.toThrow("must be at most 800");
  });

  test("without body, type, languages and files is the title, and a title that is too long ends between characters", async () => {
    const alone = await asked(
      { title: "Fix null pointer in user service", author: author("NONE") },
      {
        world: { authorFacts: { mergedPullRequests: null }, changes: { kind: "listing", files: [], total: 0 } },
        config: "knowledge: {retrieval: {gate: {enabled: false}}}",
      },
    );
    expect(alone).toEqual({
      text: "Fix null pointer in user service",
      dropped: [],
      variants: expect.anything(),
    });
    const rockets = await asked({ title: "🚀".repeat(400) });
    expect(rockets.text).toBe("🚀".repeat(300));
    expect(rockets.dropped).toContain("end of the title");
  });

  test.each([
    ["OWNER", 0, "core"],
    ["MEMBER", 0, "core"],
    ["FIRST_TIMER", 30, "first-time"],
    ["FIRST_TIME_CONTRIBUTOR", 30, "first-time"],
    ["CONTRIBUTOR", 1, "first-time"],
    ["CONTRIBUTOR", 2, "regular"],
    ["CONTRIBUTOR", 9, "regular"],
    ["CONTRIBUTOR", 10, "core"],
    ["COLLABORATOR", null, "regular"],
    ["CONTRIBUTOR", null, "regular"],
    ["NONE", 0, "first-time"],
  ] as const)(
    "calls an author with %s and %s merged pull requests %s [000-07][000-17]",
    async (association, merged, tier) => {
      const world = { authorFacts: { mergedPullRequests: merged } };
      const { text } = await asked({ title: "Tidy", author: author(association) }, { world });
      expect(text.split("\n")).toContain(`Author: ${tier}`);
    },
  );

  test.each(["NONE", "MANNEQUIN", ""])(
    "says nothing of an author with association %j whose merged pull requests are not known [000-07]",
    async (association) => {
      const world = { authorFacts: { mergedPullRequests: null } };
      const { text } = await asked({ title: "Tidy", author: author(association) }, { world });
      expect(text).not.toContain("Author:");
    },
  );

  test("names changed source before tests before configuration, the most changed lines first", async () => {
    const lines = (count: number) => "x = 1\n".repeat(count);
    const changed = {
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`conf/a${at}.json`, '{"a": 1}\n'])),
      "src/menu.cpp": lines(2),
      "src/session.cpp": lines(30),
      "test/session_test.cpp": lines(90),
      "docs/session.md": lines(200),
    };
    const { text, variants } = await asked({ title: "Tidy" }, { files: changed });
    const first = ["src/session.cpp", "src/menu.cpp", "test/session_test.cpp", "conf/a0.json"];
    expect(
      text
        .split("\n")
        .filter((line) => line.includes("/"))
        .slice(0, 4),
    ).toEqual(first);
    expect(
      variants
        .find(({ kind }) => kind === "paths")
        ?.text.split("\n")
        .slice(2, 6),
    ).toEqual(first);
  });

  test("names what the title asks to look at [000-38]", async () => {
    const { text } = await asked({ title: "[security-review] [payments] Charge once" });
    expect(text.split("\n")).toContain("Focus: security, payments");
  });

  test.each(["code", "fix bug"])("never sends the weak title %j alone [003-38]", async (title) => {
    const { text, dropped } = await asked({ title }, { files: files("src/price.cpp") });
    expect(text.split("\n")).toEqual([title, "Languages: C++", "Author: regular", "src/price.cpp"]);
    expect(dropped).toEqual([]);
  });

  test("is the same text for the same pull request, with any content [000-01]", async () => {
    const pull = { title: "constructor __proto__ \u202e \ud800", body: "<!-- \u0000" };
    expect(await asked(pull)).toEqual(await asked(pull));
  });
});

test("after the change was gathered no request goes to GitHub but for issues that it closes: signals, gate and queries use what is there [000-35]", async () => {
  const files = [addedFile("src/price.cpp", LINE)];
  const pulls = fakePullRequests({ pull: aPull(), changes: { kind: "listing", files, total: 1 } });
  const asking = embedder();
  const ports = {
    ...PLAIN_CHANGE,
    pulls,
    inspector: inspector(),
    known: knownRules(),
    embedder: asking,
    recall: memoryStore(SOME),
    access: null,
    now: () => NOW,
  };
  let gathered: readonly string[] = [];
  await writeReview(aJob(), ports, async (stage, enter) => {
    const value = await enter();
    if (stage === "gather") gathered = [...pulls.asked];
    return value;
  });
  // Only an issue that the description closes is read, which the words of the signals name.
  expect(pulls.asked).toEqual([...gathered, "issue 17"]);
  for (const question of ["pull 42", "changes", "authorFacts"])
    expect(gathered.filter((one) => one === question)).toHaveLength(1);
  expect(asking.asked).toHaveLength(1);
});
