// What is remembered of a clone, in and out through files, and how the next review of it hears it:
// the command line as people run it, each time a process of its own.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryRecord, memoryId } from "../../src/domain/memory.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { LEAST_PROBABILITY } from "../../src/retrieve/rank/threshold.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

let clone: Clone;
let folder: string;
let repo: string;
beforeAll(async () => {
  clone = newClone();
  folder = mkdtempSync(join(tmpdir(), "kodiai-files-"));
  clone.write({ "README.md": "# Player\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/demux.cpp": "int read(Packet& packet) {\n  return packet.data[packet.size];\n}\n" });
  clone.commit("fix(demux): read the last byte of a packet");
  const { out } = await run("explain", "--base", "HEAD~1", "--json");
  const { host, id } = JSON.parse(out).job.repo;
  repo = `${host}/${id}`;
});
afterAll(() => {
  clone.remove();
  rmSync(folder, { recursive: true });
});

const run = async (...words: readonly string[]) => {
  const ended = await kodiai([...words, "--data-dir", join(folder, "data")], { cwd: clone.path });
  expect(ended.err).toBe("");
  expect(ended.code).toBe(0);
  return ended;
};
const file = (name: string) => join(folder, name);
const rowsOf = (name: string): Record<string, unknown>[] =>
  readFileSync(file(name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

function record(sourceId: string, more: Partial<MemoryRecord>): MemoryRecord {
  const own = {
    repo,
    repoName: "acme/player",
    sourceId,
    id: memoryId(repo, more.corpus ?? "review_comment", sourceId),
  };
  return givenRecord({ ...own, visibility: "private", ownerId: 0, ...more });
}

const SAID = () => [
  record("1", {
    text: "Check packet.size before reading packet.data: a short packet reads past the end.",
    situation: "A reader indexes a packet buffer by a size field before it checks the size against the buffer.",
    lesson: "Check the size of a packet before reading from it.",
    tags: ["buffer read", "missing bounds check", "packet parsing"],
    language: "C++",
    path: "src/mux.cc",
    hunk: "@@ -1 +1 @@\n+return packet.data[i];",
    provenance: { ...givenRecord().provenance, pull: 12 },
  }),
  record("2", {
    text: "A packet may be empty: check packet.size first.",
    language: "",
    path: "src/Probe.cs",
    hunk: "@@ -1 +1 @@\n+return packet.Data[0];",
    provenance: { ...givenRecord().provenance, pull: 13 },
  }),
  record("3", {
    text: "Name the constant.",
    language: "unknown",
    path: "data/table.zzz",
    hunk: "@@ -1 +1 @@\n+x = 4096",
    provenance: { ...givenRecord().provenance, pull: 14 },
  }),
];

test("what is imported is exported as it was, with the id that its source gives, and again without a change [002-01][002-03][004-09][005-06]", async () => {
  writeFileSync(file("said.jsonl"), SAID().map(exportLine).join("\n"));
  expect((await run("memory", "import", file("said.jsonl"))).out).toContain("3 added");
  expect((await run("memory", "import", file("said.jsonl"))).out).toContain("3 unchanged");
  expect((await run("memory", "export", file("out.jsonl"))).out).toMatch(/: 3 records of /);
  expect(statSync(file("out.jsonl")).mode & 0o077).toBe(0);
  const out = rowsOf("out.jsonl").map(({ record }) => record as MemoryRecord);
  const byId = new Map(out.map((one) => [one.id, one]));
  for (const said of SAID()) {
    expect(said.id).toMatch(/^mem_[0-9a-f]{12}$/);
    const language = { "C++": "cpp", "": "unknown" }[said.language] ?? said.language;
    expect(byId.get(said.id)).toMatchObject({ ...said, language, repoName: expect.any(String) });
  }
  // Other words for the same source are the same memory.
  const [first] = SAID();
  const rewritten = { ...first, situation: "Other words of a model for the same comment, which is still the same." };
  writeFileSync(file("again.jsonl"), exportLine(rewritten as MemoryRecord));
  expect((await run("memory", "import", file("again.jsonl"))).out).toContain("0 added, 1 updated");
  expect((await run("memory", "export", "-")).out.trimEnd().split("\n")).toHaveLength(3);
});

test("pairs to tune an embedder with: each situation with its code, with any other, and with that of the most alike [000-36][002-22]", async () => {
  await run("memory", "export", file("pairs.jsonl"), "--pairs");
  const pairs = rowsOf("pairs.jsonl");
  const [first, second] = SAID();
  const of = (kind: string) => pairs.filter((pair) => pair.kind === kind);
  expect(
    of("positive")
      .map(({ memory }) => memory)
      .toSorted(),
  ).toEqual(
    SAID()
      .map(({ id }) => id)
      .toSorted(),
  );
  for (const pair of of("positive")) expect(pair.of).toBe(pair.memory);
  expect(of("random-negative")).toHaveLength(3);
  for (const pair of [...of("random-negative"), ...of("hard-negative")]) expect(pair.of).not.toBe(pair.memory);
  expect(of("hard-negative").find(({ memory }) => memory === second?.id)).toMatchObject({
    of: first?.id,
    situation: second?.text,
    snippet: first?.hunk,
  });
  await run("memory", "export", file("twice.jsonl"), "--pairs");
  expect(rowsOf("twice.jsonl")).toEqual(pairs);
});

test("rows without a language get that of their path, once, and paths without one stay unknown [004-20]", async () => {
  const reported = async () => JSON.parse((await run("memory", "backfill", "--json")).out);
  expect(await reported()).toMatchObject({
    without: 2,
    byLanguage: { csharp: 1 },
    unknown: 1,
    remembered: { updated: 1 },
  });
  expect(await reported()).toMatchObject({ without: 1, byLanguage: {}, unknown: 1, remembered: { updated: 0 } });
  expect((await run("memory", "backfill")).out).toContain("from their paths: none; still unknown: 1");
});

test("explain shows what memory says of a change, ordered by meaning where .kodiai.yml says so [000-32][001-25][001-28][004-13]", async () => {
  const retrieved = async (): Promise<Precedents> => {
    const { stages } = JSON.parse((await run("explain", "--base", "HEAD~1", "--json")).out);
    return stages.find(({ stage }: { stage: string }) => stage === "retrieve").value;
  };
  const fused = await retrieved();
  expect(fused).toMatchObject({ gate: { retrieve: true }, provenance: { method: "hybrid" } });
  expect(fused.ranked[0]).toMatchObject({ adjustedDistance: null, languageMatch: true, record: { language: "cpp" } });
  const { confidence, reason } = fused.gate;
  const { out } = await run("explain", "--base", "HEAD~1");
  expect(stripVTControlCharacters(out)).toContain(`admitted   probability at least ${LEAST_PROBABILITY}\n`);
  expect(stripVTControlCharacters(out)).toMatch(
    new RegExp(`gate +search \\(.*confidence ${confidence.toFixed(2)}.*\\)\\n +${reason}`),
  );

  clone.git("checkout", "--quiet", "-b", "by-meaning", "HEAD~1");
  clone.write({ ".kodiai.yml": "knowledge: {retrieval: {method: semantic, distanceThreshold: 2}}\n" });
  clone.commit("Order by meaning");
  clone.write({ "src/demux.cpp": "int read(Packet& packet) {\n  return packet.data[packet.size];\n}\n" });
  clone.commit("fix(demux): read the last byte of a packet");
  const byMeaning = await retrieved();
  expect(byMeaning.provenance.method).toBe("semantic");
  expect(byMeaning.provenance.admits).toEqual({ distance: true, probability: null });
  expect(fused.provenance.admits).toEqual({ distance: false, probability: LEAST_PROBABILITY });
  const match = byMeaning.ranked.find(({ languageMatch }) => languageMatch);
  const other = byMeaning.ranked.find(({ languageMatch }) => !languageMatch);
  const age = (one: typeof match) => (one?.adjustedDistance ?? 0) / (one?.distance ?? 1);
  expect(age(match) / age(other)).toBeCloseTo(0.85, 2);
});
