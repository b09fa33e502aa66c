// Real diffs against git's own facts: is every path, mode, count, hunk and line number right?
// DIR holds manifest.jsonl (one diff a row) and the diffs that its `file` names.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DiffLine, FileDiff } from "../../src/domain/pull-request.ts";
import { type ParsedDiff, parseDiff } from "../../src/gather/parse-diff.ts";
import { dataFingerprint, fingerprint, jsonLines } from "../read-data.ts";
import type { Suite } from "../suite.ts";
import { unanswered } from "../unanswered.ts";

type Probe = readonly ["LEFT" | "RIGHT", number, "add" | "del" | "ctx", string];
type Range = readonly [number, number];

/** Git's facts about one file of a diff; of a combined diff only the path. */
interface FileFacts {
  readonly path: string;
  readonly status?: "A" | "M" | "D" | "R" | "C" | "T";
  readonly oldPath?: string;
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly oldOid?: string;
  readonly newOid?: string;
  readonly binary?: boolean;
  readonly additions?: number | null;
  readonly deletions?: number | null;
  readonly hunks?: readonly (readonly [number, number, number, number])[];
  readonly addedRanges?: readonly Range[];
  readonly deletedRanges?: readonly Range[];
  readonly probes?: readonly Probe[];
}

interface DiffFacts {
  readonly id: string;
  readonly kind: string;
  readonly file: string;
  readonly files: readonly FileFacts[];
}

const STATUSES = new Map(
  Object.entries({ A: "added", M: "modified", D: "removed", R: "renamed", C: "copied", T: "typechanged" }),
);
const KINDS = new Map(Object.entries({ add: "added", del: "removed", ctx: "context" }));
/** The manifest cuts the text of a probe after this many code points. */
const PROBE_LENGTH = 200;

export const suite: Suite = async ({ data }) => {
  const manifest = await readFile(join(data, "manifest.jsonl"));
  const facts = jsonLines(manifest.toString("utf8"), "manifest.jsonl") as DiffFacts[];
  const read = [{ name: "manifest.jsonl", sha256: sha256(manifest) }];
  const tally = { right: 0, probes: 0, probesRight: 0, bytes: 0, ms: 0, refused: 0 };
  const notes: string[] = [];
  const judge = async (diff: DiffFacts): Promise<void> => {
    const bytes = await readFile(join(data, diff.file));
    read.push({ name: diff.file, sha256: sha256(bytes) });
    const text = bytes.toString("utf8");
    const start = performance.now();
    const parsed = parseDiff(text);
    tally.ms += performance.now() - start;
    tally.bytes += bytes.length;
    tally.refused += parsed.refused.length;
    const wrong = diff.kind === "combined-merge" ? combinedMistakes(diff, parsed) : mistakes(diff, parsed);
    const probes = probeMistakes(diff, parsed);
    tally.probes += probes.asked;
    tally.probesRight += probes.asked - probes.wrong.length;
    const all = [...wrong, ...probes.wrong];
    if (all.length === 0) tally.right++;
    else notes.push(`${diff.id}: ${all.slice(0, 3).join("; ")}${all.length > 3 ? ` … ${all.length} in all` : ""}`);
  };
  for (const [at, diff] of facts.entries()) {
    await judge(diff).catch((error: unknown) => unanswered(String(diff.id ?? `manifest.jsonl[${at}]`), error));
  }
  return {
    data: { n: facts.length, fingerprint: dataFingerprint(read) },
    config: { fingerprint: fingerprint({ parser: "parse-diff", probeLength: PROBE_LENGTH }) },
    rows: [
      {
        name: "default",
        n: facts.length,
        metrics: {
          right: tally.right / facts.length,
          probesRight: tally.probes === 0 ? 1 : tally.probesRight / tally.probes,
          mbPerSecond: tally.bytes / 1e6 / (tally.ms / 1e3),
        },
      },
    ],
    notes: [
      `${tally.right} of ${facts.length} diffs and ${tally.probesRight} of ${tally.probes} probes right; refused files: ${tally.refused}`,
      ...notes,
    ],
  };
};

/** A merge against several parents has no one old side: each file is refused by its name. */
function combinedMistakes(diff: DiffFacts, { files, refused }: ParsedDiff): string[] {
  const names = new Set(refused.map(({ path }) => path));
  const missing = diff.files.filter(({ path }) => !names.has(path)).map(({ path }) => `${path} was not refused`);
  return [...missing, ...files.map(({ path }) => `${path} was taken for an ordinary diff`)];
}

function mistakes(diff: DiffFacts, { files, refused }: ParsedDiff): string[] {
  const parsed = new Map(files.map((file) => [file.path, file]));
  const wrong = refused.map(({ path, reason }) => `${path ?? "a file without a name"} was refused: ${reason}`);
  if (files.length !== diff.files.length) wrong.push(`${files.length} files for ${diff.files.length}`);
  for (const facts of diff.files) {
    const file = parsed.get(facts.path);
    if (file === undefined) wrong.push(`${facts.path} is missing`);
    else wrong.push(...fileMistakes(facts, file).map((what) => `${facts.path}: ${what}`));
  }
  return wrong;
}

function fileMistakes(facts: FileFacts, file: FileDiff): string[] {
  const wrong: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown) => {
    const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== shouldBe) wrong.push(`${what} ${is} for ${shouldBe}`);
  };
  expect("status", file.status, STATUSES.get(facts.status ?? ""));
  expect("base path", file.previousPath, facts.oldPath ?? null);
  // Git prints no mode for a rename that changes nothing else.
  if (file.oldMode !== null || facts.oldOid !== facts.newOid) expect("old mode", file.oldMode, mode(facts.oldMode));
  if (file.newMode !== null || facts.oldOid !== facts.newOid) expect("new mode", file.newMode, mode(facts.newMode));
  // Where the contents are the same the diff has no line that could say "binary".
  if (facts.oldOid !== facts.newOid) expect("binary", file.binary, facts.binary);
  expect("counts", [file.additions, file.deletions], [facts.additions ?? 0, facts.deletions ?? 0]);
  if (facts.hunks !== undefined) {
    const hunks = file.hunks.map((hunk) => [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]);
    expect("hunks", hunks, facts.hunks);
  }
  if (facts.addedRanges !== undefined) expect("added", ranges(file, "added"), facts.addedRanges);
  if (facts.deletedRanges !== undefined) expect("deleted", ranges(file, "removed"), facts.deletedRanges);
  expect("complete", file.complete, true);
  return wrong;
}

function mode(facts: string | undefined): string | null {
  return facts === undefined || facts === "000000" ? null : facts;
}

function ranges(file: FileDiff, kind: "added" | "removed"): Range[] {
  const found: [number, number][] = [];
  for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
    const number = kind === "added" ? line.newLine : line.oldLine;
    if (line.kind !== kind || number === null) continue;
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1] === number) last[1]++;
    else found.push([number, 1]);
  }
  return found;
}

function probeMistakes(diff: DiffFacts, { files }: ParsedDiff): { asked: number; wrong: string[] } {
  const parsed = new Map(files.map((file) => [file.path, file]));
  const wrong: string[] = [];
  let asked = 0;
  for (const facts of diff.files) {
    const lines = (parsed.get(facts.path)?.hunks ?? []).flatMap((hunk) => hunk.lines);
    const sides = { LEFT: bySide(lines, "oldLine"), RIGHT: bySide(lines, "newLine") };
    for (const [side, number, kind, text] of facts.probes ?? []) {
      asked++;
      const line = sides[side].get(number);
      const said = [...(line?.text ?? "")].slice(0, PROBE_LENGTH).join("");
      const same = line !== undefined && line.kind === KINDS.get(kind) && said === text;
      if (!same) wrong.push(`${facts.path} ${side} ${number} is not ${JSON.stringify(text.slice(0, 60))}`);
    }
  }
  return { asked, wrong };
}

function bySide(lines: readonly DiffLine[], side: "oldLine" | "newLine"): Map<number, DiffLine> {
  return new Map(lines.flatMap((line) => (line[side] === null ? [] : [[line[side], line] as const])));
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
