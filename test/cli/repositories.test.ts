// The verbs about memory over a real store in a folder: repositories by name, moving memory out and
// in, wikis.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { index } from "../../src/cli/memory/index-repository.ts";
import { memory } from "../../src/cli/memory/memory.ts";
import { UsageError } from "../../src/config/usage-error.ts";
import type { Repo } from "../../src/domain/job.ts";
import { findRepository } from "../../src/flows/memory/find-repository.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { type Clone, givenClone } from "../adapters/git/clone.ts";
import { givenRecord } from "../learn/memory-builders.ts";

let folder: string;
let printed: string[];
let clone: Clone;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-repositories-"));
  clone = givenClone();
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
  clone.remove();
});

const run = (...words: string[]) => memory([...words, "--data-dir", join(folder, "data")]);
const runIndex = (...words: string[]) => index([...words, "--data-dir", join(folder, "data")]);
const json = () => JSON.parse(printed.at(-1) ?? "") as Record<string, unknown>;

const RECORD = givenRecord();

async function givenMemory(...records: readonly (typeof RECORD)[]): Promise<void> {
  const file = join(folder, "given.jsonl");
  writeFileSync(file, records.map((record) => `${exportLine(record)}\n`).join(""));
  expect(await run("import", file)).toBe(0);
}

test("a repository that memory knows is named by OWNER/NAME, and a name that it does not know is answered with the nearest", async () => {
  await givenMemory(RECORD);
  expect(await run("ls", "--repo", "acme/payments")).toBe(0);
  expect(printed.at(-1)?.split("\n").at(-1)).toBe("1 of 1 memory of acme/payments");
  expect(await run("stats", "--repo", `${RECORD.repo.split("/")[0]}/ACME/Payments`, "--json")).toBe(0);
  expect(json()).toMatchObject({ total: 1 });
  expect(await run("show", RECORD.id, "--repo", RECORD.repo)).toBe(0);
  await expect(run("ls", "--repo", "acme/payment")).rejects.toThrow(
    new UsageError(
      `there are no memories of acme/payment in ${join(folder, "data")}. Index a clone of it (kodiai index --repo PATH), ` +
        "import its past reviews (kodiai import OWNER/NAME) or its comments (kodiai memory import FILE), or name another with --repo or --data-dir. " +
        "In memory, nearest first: acme/payments.",
    ),
  );
});

test("names are distinguished by host, and by key if even that is not enough", () => {
  const repo = (host: string, id: number, name: string): Repo => {
    return { host, id, ownerId: 1, owner: "acme", name, visibility: "private" };
  };
  const known = [
    repo("github.com", 1, "shop"),
    repo("ghe.example.com", 1, "shop"),
    repo("local", 7, "cart"),
    repo("local", 8, "cart"),
  ];
  const find = (word: string, among = known) => findRepository(word, among, "/srv/kodiai");
  expect(find("github.com/acme/shop")).toBe(known[0]);
  expect(find("local/8")).toBe(known[3]);
  expect(() => find("acme/shop")).toThrow(/2 repositories .* github\.com\/1, ghe\.example\.com\/1$/);
  expect(() => find("local/acme/cart")).toThrow(/local\/7, local\/8$/);
  expect(() => find("acme/shop", [])).toThrow(/there are no memories of acme\/shop in \/srv\/kodiai\. .*--data-dir\.$/);
  expect(() => find("../shop")).toThrow(/neither a folder nor OWNER\/NAME/);
});

test("what is exported is read back as it was, elsewhere and twice", async () => {
  const other = givenRecord({ sourceId: "18", text: "Second.\u2028Still the second.", tags: ["go", "c++"] });
  await givenMemory(RECORD, other);
  const file = join(folder, "out.jsonl");
  expect(await run("export", file, "--repo", "acme/payments")).toBe(0);
  expect(printed.at(-1)).toBe(`${file}: 2 records of acme/payments`);
  const lines = readFileSync(file, "utf8");
  expect(
    lines
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { record: unknown }).record),
  ).toEqual([RECORD, other].sort((a, b) => (a.id < b.id ? -1 : 1)));

  const elsewhere = ["--data-dir", join(folder, "elsewhere")];
  expect(await memory(["import", file, ...elsewhere])).toBe(0);
  const again = join(folder, "again.jsonl");
  expect(await memory(["export", again, "--all", ...elsewhere])).toBe(0);
  expect(readFileSync(again, "utf8")).toBe(lines);
  expect(await memory(["import", again, "--json", ...elsewhere])).toBe(0);
  expect(json()).toMatchObject({ remembered: { added: 0, updated: 0, unchanged: 2 } });
});

test("rows that are imported into a repository become its own: its key, its name, its readers", async () => {
  await givenMemory(RECORD);
  clone.commit({ "docs/a.md": "Hello.\n" });
  expect(await runIndex(clone.path)).toBe(0);
  const corpus = join(folder, "corpus.jsonl");
  writeFileSync(
    corpus,
    `${JSON.stringify({ id: "c1", repo: "kodi/xbmc", text: "Close the file before the next one is opened.", createdAt: "2024-05-01T10:00:00Z" })}\n`,
  );
  expect(await run("import", corpus, "--repo", "acme/payments")).toBe(0);
  expect(await run("ls", "--repo", "acme/payments", "--json")).toBe(0);
  const { records } = json() as { records: { text: string; repo: string; visibility: string }[] };
  const moved = records.find(({ text }) => text === "Close the file before the next one is opened.");
  expect(moved).toMatchObject({ repo: RECORD.repo, repoName: "acme/payments", visibility: RECORD.visibility });
  await expect(run("ls", "--repo", "kodi/xbmc")).rejects.toThrow(/there are no memories of kodi\/xbmc/);
});

test("one memory is forgotten by its id, of its own repository only", async () => {
  await givenMemory(RECORD, givenRecord({ sourceId: "18" }));
  await expect(run("forget", RECORD.id, "--repo", clone.path)).rejects.toThrow(UsageError);
  expect(await run("forget", RECORD.id, "--repo", "acme/payments")).toBe(0);
  expect(printed.at(-1)).toBe(`forgot ${RECORD.id}`);
  await expect(run("forget", RECORD.id, "--repo", "acme/payments")).rejects.toThrow(/has no memory/);
  expect(await run("stats", "--repo", "acme/payments", "--json")).toBe(0);
  expect(json()).toMatchObject({ total: 1 });
});

test("the pages of a wiki are remembered beside the repository's own documents, each with its languages [004-14][004-22]", async () => {
  await givenMemory(RECORD);
  clone.commit({ "docs/a.md": "Hello.\n", "README.md": "Read me.\n" });
  expect(await runIndex(clone.path, "--repo", "acme/payments")).toBe(0);
  const wiki = givenClone();
  wiki.commit({
    "Home.md": "Welcome.\n",
    "Python-Style-Guide.md": "# Python style\n\nUse type hints.\n",
    "Build.md": "# Build\n\n```sh\nmake\n```\n\n## Linking\n\n```cpp\nint main();\n```\n",
    "_Sidebar.md": "* [Home](Home)\n",
    "Old.mediawiki": "= Old =\n",
  });
  expect(await runIndex("--wiki", wiki.path, "--repo", "acme/payments")).toBe(0);
  expect(await run("ls", "--repo", "acme/payments", "--json", "--corpus", "wiki")).toBe(0);
  type Row = { sourceId: string; tags: string[]; language: string; corpus: string; provenance: { url: string } };
  const rows = (json() as { records: Row[] }).records.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
  expect(rows.map(({ sourceId, tags, language }) => [sourceId, tags, language])).toEqual([
    ["Build.md#build", ["shell"], "shell"],
    ["Build.md#linking", ["cpp"], "cpp"],
    ["Home.md", [], "unknown"],
    ["Python-Style-Guide.md#python-style", ["python"], "python"],
  ]);
  expect(rows.at(-1)?.provenance.url).toBe("https://github.com/acme/payments/wiki/Python-Style-Guide#python-style");

  // The repository's own documents stay when the wiki is read, and the wiki's pages when the
  // repository is.
  wiki.commit({ "Home.md": null });
  expect(await runIndex("--wiki", wiki.path, "--repo", "acme/payments", "--json")).toBe(0);
  expect(json()).toMatchObject({ files: { removed: 1, unchanged: 2 }, forgotten: 1 });
  expect(await runIndex(clone.path, "--repo", "acme/payments", "--json")).toBe(0);
  expect(json()).toMatchObject({ files: { removed: 0, unchanged: 2 }, forgotten: 0 });
  wiki.remove();
  await expect(runIndex("--wiki", wiki.path, "--corpus", "doc")).rejects.toThrow(UsageError);
});
