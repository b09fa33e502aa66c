import { expect, test } from "vitest";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import { readHeadTexts } from "../../src/gather/read-head-texts.ts";
import { aFileDiff } from "../builders/file-diff.ts";

const LIMITS = { files: 300, bytesEach: 100, bytesInAll: 1000, atOnce: 6 };

const aFile = (path: string, over: Partial<FileDiff> = {}) => aFileDiff(path, [], { additions: 1, ...over });

const hundred = Array.from({ length: 100 }, (_, n) => aFile(`src/f${n}.ts`));

test("only text files with added lines are read", async () => {
  const files = [
    aFile("src/a.ts"),
    aFile("gone.ts", { status: "removed", additions: 0, deletions: 9 }),
    aFile("less.ts", { additions: 0, deletions: 9 }),
    aFile("logo.png", { binary: true, additions: 0 }),
    aFile("link", { newMode: "120000" }),
    aFile("vendor/lib", { newMode: "160000" }),
    aFile("became-link", { status: "typechanged", newMode: "120000" }),
  ];
  const asked: string[] = [];
  const { degraded } = await readHeadTexts(files, async (path) => {
    asked.push(path);
    return "text\n";
  });
  expect(asked).toEqual(["src/a.ts"]);
  expect(degraded).toEqual([]);
});

test("at most six questions are open at once", async () => {
  let open = 0;
  let most = 0;
  const { texts } = await readHeadTexts(hundred, async (path) => {
    most = Math.max(most, ++open);
    await new Promise((done) => setImmediate(done));
    open--;
    return path;
  });
  expect(most).toBe(6);
  expect([...texts]).toEqual(hundred.map(({ path }) => [path, path]));
});

test("for any order of responses, the same files are read and the rest is counted", async () => {
  const sizes = (path: string) => 40 + (Number(path.replace(/\D/g, "")) % 7) * 9;
  const run = async (delay: (path: string) => number) => {
    const read = async (path: string) => {
      for (let turn = delay(path); turn > 0; turn--) await new Promise((done) => setImmediate(done));
      return "x".repeat(sizes(path));
    };
    const { texts, degraded } = await readHeadTexts(hundred, read, LIMITS);
    return { paths: [...texts.keys()], degraded };
  };
  const orders = await Promise.all([
    run(() => 0),
    run((path) => path.length % 3),
    run((path) => (path.endsWith("0") ? 20 : 1)),
  ]);
  expect(orders[1]).toEqual(orders[0]);
  expect(orders[2]).toEqual(orders[0]);
  const paths = orders[0]?.paths ?? [];
  expect(paths).toEqual(hundred.slice(0, paths.length).map(({ path }) => path));
  expect(paths.reduce((sum, path) => sum + sizes(path), 0)).toBeLessThanOrEqual(1000);
  expect(orders[0]?.degraded).toEqual([
    {
      part: "head-text",
      reason: `${100 - paths.length} of 100 files reviewed by hunks only: ${100 - paths.length} beyond the limit of one review`,
      paths: hundred.slice(paths.length).map(({ path }) => path),
    },
  ]);
});

test("a small text behind one that is too much is not squeezed in", async () => {
  const sizes = [...Array.from({ length: 16 }, () => 60), 90, 30];
  const files = sizes.map((_, n) => aFile(`f${n}`));
  const { texts } = await readHeadTexts(files, async (path) => "x".repeat(sizes[Number(path.slice(1))] ?? 0), LIMITS);
  expect(texts.size).toBe(16);
  expect(texts.has("f17")).toBe(false);
});

test("more files than the limit, files without text and failures are counted separately", async () => {
  const files = Array.from({ length: 310 }, (_, n) => aFile(`f${n}`));
  const { texts, degraded } = await readHeadTexts(files, async (path) => {
    if (path === "f1") throw new Error("503");
    return path === "f2" || path === "f3" ? null : "x";
  });
  expect(texts.size).toBe(297);
  expect(degraded[0]?.reason).toBe(
    "13 of 310 files reviewed by hunks only: 1 could not be fetched, 2 absent, not text or too large, 10 beyond the limit of one review",
  );
});
