// Rules that hold a change against its repository, without a model: when they read it, and what is
// said when they cannot.
import { createTwoFilesPatch } from "diff";
import { afterAll, expect, test } from "vitest";
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import type { Snapshots } from "../../src/ports/snapshot.ts";
import { snapshotOf } from "../adapters/contracts/symbols.ts";
import { type Change, reported, reviewed } from "../app/pipeline.ts";
import { HEAD } from "../fakes/pull-requests.ts";

const symbols = codeSymbols();
afterAll(() => symbols.close());

const PATH = "src/users.ts";
const BEFORE = "export function rename(id: number, name: string) {\n  return String(id) + name;\n}\n";
const AFTER = BEFORE.replace("(id: number", "(by: string, id: number");
const BESIDE = { "src/profile.ts": 'import { rename } from "./users.ts";\n\nrename(7, "Ada");\n' };
const FOUND = [`${PATH}:1 callers-not-changed major inline`];

/**
 * A review without a model of a change of one file, in a repository that counts how often it is
 * read.
 */
async function reviewOf(after: string, more: Partial<Change> = {}, at?: Snapshots["at"], before = BEFORE) {
  const patch = createTwoFilesPatch(`a/${PATH}`, `b/${PATH}`, before, after).replace(/^=+\n/, "");
  const text = `diff --git a/${PATH} b/${PATH}\n${patch}`;
  let reads = 0;
  const snapshots: Snapshots = {
    at: async (...asked) => {
      reads += 1;
      return at?.(...asked) ?? { snapshot: snapshotOf({ ...BESIDE, [PATH]: after }), degraded: [] };
    },
  };
  const world = { changes: { kind: "unified", text }, texts: { [`${HEAD}:${PATH}`]: after } } as const;
  const review = await reviewed({ world, snapshots, symbols, ...more });
  return { review, reads, said: reported(review) };
}

test("a caller in a file that the change does not touch is found, and named", async () => {
  const { review, reads, said } = await reviewOf(AFTER);
  expect(said).toEqual(FOUND);
  expect(review.findings[0]?.finding.body).toContain(
    "Called as before in `src/profile.ts:3`: with 2 arguments, where it takes 3.",
  );
  expect(reads).toBe(1);
  expect(review.degraded).toEqual([]);
});

test("one argument is one", async () => {
  const [before, after] = ["id: number", "id: number, name: string"].map(
    (takes) => `export function find(${takes}) {\n  return id;\n}\n`,
  ) as [string, string];
  const texts = { "src/profile.ts": 'import { find } from "./users.ts";\n\nfind(7);\n', [PATH]: after };
  const at: Snapshots["at"] = async () => ({ snapshot: snapshotOf(texts), degraded: [] });
  const { review } = await reviewOf(after, {}, at, before);
  expect(review.findings[0]?.finding.body).toContain("with 1 argument, where it takes 2.");
});

test("a change that no rule holds against the repository reads none of it", async () => {
  const { reads, said } = await reviewOf(BEFORE.replace("String(id) + name", "id + name"));
  expect([reads, said]).toEqual([0, []]);
});

test("review.snapshot: off reads nothing and says nothing of it", async () => {
  const { review, reads, said } = await reviewOf(AFTER, { config: "review: {snapshot: off}\n" });
  expect([reads, said, review.degraded]).toEqual([0, [], []]);
});

test("a rule that is off reads nothing; another severity is kept", async () => {
  const off = await reviewOf(AFTER, { config: "rules: {callers-not-changed: off}\n" });
  expect([off.reads, off.said]).toEqual([0, []]);
  const critical = await reviewOf(AFTER, { config: "rules: {callers-not-changed: critical}\n" });
  expect(critical.said).toEqual([`${PATH}:1 callers-not-changed critical inline`]);
});

test("a comment on the line holds the finding back with its reason", async () => {
  const noted = AFTER.replace("{\n", "{ // kodiai-ignore callers-not-changed profile.ts follows\n");
  const { review, said } = await reviewOf(noted);
  expect(said).toEqual([]);
  expect(review.heldBack.map(({ reason }) => reason)).toEqual(["kodiai-ignore: profile.ts follows"]);
});

test("where the repository cannot be read, the review says so only when a rule would have needed it", async () => {
  const degraded = [{ part: "snapshot", reason: "too many files" }];
  const at = async () => ({ snapshot: null, degraded });
  const needed = await reviewOf(AFTER, {}, at);
  expect([needed.said, needed.review.degraded]).toEqual([[], degraded]);
  const notNeeded = await reviewOf(BEFORE.replace("return", "return  "), {}, at);
  expect(notNeeded.review.degraded).toEqual([]);
});
