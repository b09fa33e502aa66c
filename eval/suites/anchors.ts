// Where a model's finding would land: every added line of every diff is cited by its anchor, and by
// a quote of three lines under a wrong number. A citation is right when the finding begins on that
// line, and wrong when it begins on another. DIR holds diffs (manifest.jsonl + files/) or pull
// requests with a `diff` (queries.jsonl), or folders of them.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import { revealLine } from "../../src/domain/text/untrusted-text.ts";
import { parseDiff } from "../../src/gather/parse-diff.ts";
import { anchorOf, diffLines, locate } from "../../src/review/placing/locate.ts";
import { dataFingerprint, fingerprint, jsonLines } from "../read-data.ts";
import type { Suite } from "../suite.ts";
import { answered, unanswered } from "../unanswered.ts";

/** Lines in a quote, as the instructions ask for. */
const QUOTED = 3;

interface Tally {
  lines: number;
  hash: number;
  hashWrong: number;
  quoteRight: number;
  quoteWrong: number;
}

interface Source {
  readonly name: string;
  readonly sha256: string;
  readonly diffs: readonly string[];
}

export const suite: Suite = async ({ data }) => {
  const sources = await sourcesOf(data);
  const rows = sources.map((source) => ({ source, tally: tallied(source.diffs) }));
  const files = sources.map(({ name, sha256 }) => ({ name, sha256 }));
  return {
    data: { n: rows.reduce((sum, { tally }) => sum + tally.lines, 0), fingerprint: dataFingerprint(files) },
    config: { fingerprint: fingerprint({ quoted: QUOTED, hash: "sha256/4" }) },
    rows: rows.map(({ source, tally }) => ({
      name: rows.length === 1 ? "default" : source.name,
      n: tally.lines,
      metrics: {
        hash: tally.hash / tally.lines,
        hashWrong: tally.hashWrong / tally.lines,
        quoteRight: tally.quoteRight / tally.lines,
        quoteWrong: tally.quoteWrong / tally.lines,
        fileLevel: (tally.lines - tally.quoteRight - tally.quoteWrong) / tally.lines,
      },
    })),
  };
};

async function sourcesOf(data: string): Promise<readonly Source[]> {
  const names = (await readdir(data)).toSorted();
  if (names.includes("manifest.jsonl")) return [await manifestOf(data)];
  if (names.includes("queries.jsonl")) return [await queriesOf(data)];
  const nested = await Promise.all(names.map((name) => sourcesOf(join(data, name)).catch(() => [])));
  const found = nested.flat();
  if (found.length === 0)
    throw new Error(`${data} holds neither manifest.jsonl nor queries.jsonl, nor a folder with one`);
  return found;
}

async function manifestOf(data: string): Promise<Source> {
  const manifest = await readFile(join(data, "manifest.jsonl"), "utf8");
  const rows = jsonLines(manifest, "manifest.jsonl") as { readonly id?: string; readonly file: string }[];
  const read = await Promise.all(
    rows.map(async ({ id, file }, at) => {
      try {
        return [await readFile(join(data, file), "utf8")];
      } catch (error) {
        unanswered(id ?? `manifest.jsonl[${at}]`, error);
        return [];
      }
    }),
  );
  const diffs = read.flat();
  return { name: "diffs", sha256: sha256(diffs.join("\0")), diffs };
}

async function queriesOf(data: string): Promise<Source> {
  const text = await readFile(join(data, "queries.jsonl"), "utf8");
  const rows = jsonLines(text, "queries.jsonl") as { readonly id?: string; readonly diff: unknown }[];
  const diffs = answered(
    rows,
    ({ id }) => id ?? "a query without an id",
    ({ diff }) => {
      if (typeof diff !== "string") throw new Error("diff: it is no text");
      return diff;
    },
  );
  return { name: "pull requests", sha256: sha256(text), diffs };
}

function tallied(diffs: readonly string[]): Tally {
  const tally: Tally = { lines: 0, hash: 0, hashWrong: 0, quoteRight: 0, quoteWrong: 0 };
  for (const diff of diffs) for (const file of parseDiff(diff).files) tallyFile(file, tally);
  return tally;
}

function tallyFile(file: FileDiff, tally: Tally): void {
  const lines = diffLines(file);
  for (const { lines: all } of file.hunks) {
    const right = all.filter(({ kind }) => kind !== "removed");
    for (const [at, { kind, newLine, text }] of right.entries()) {
      if (kind !== "added" || newLine === null) continue;
      tally.lines++;
      const anchor = anchorOf(file.path, "RIGHT", newLine, text);
      const byHash = locate({ anchor, endAnchor: null, quote: "" }, lines);
      if (byHash.method === "anchor" && byHash.startLine === newLine) tally.hash++;
      else if (byHash.method !== "none") tally.hashWrong++;
      const quote = right
        .slice(at, at + QUOTED)
        .map((line) => revealLine(line.text))
        .join("\n");
      const byQuote = locate({ anchor: `${newLine + 7}#0000`, endAnchor: null, quote }, lines);
      if (byQuote.method === "none") continue;
      if (byQuote.startLine === newLine && byQuote.side === "RIGHT") tally.quoteRight++;
      else tally.quoteWrong++;
    }
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
