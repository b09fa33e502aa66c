// How much the rules say about changes that were merged: most of it is noise.
// `kodiai review --diff` over every diff.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { subject } from "../../src/cli/subject.ts";
import type { PullRequestContext } from "../../src/domain/pull-request.ts";
import type { Review } from "../../src/domain/review.ts";
import type { Stage } from "../../src/flows/review/review-ports.ts";
import { writeReview } from "../../src/flows/review/review-pull-request.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Suite } from "../suite.ts";
import { unanswered } from "../unanswered.ts";

interface DiffEntry {
  readonly id: string;
  readonly kind: string;
  readonly file: string;
  readonly sha256: string;
}

/**
 * Languages with structural rules; line rules cover every text file, so these are the files that
 * are fully covered.
 */
const COVERED = new Set(["typescript", "javascript", "python", "go", "java", "ruby", "rust", "php"]);

interface Tally {
  findings: number;
  heldBack: number;
  addedLines: number;
  readonly byRule: Map<string, number>;
  readonly hits: string[];
}

/**
 * Rows: `default` counts what would be said, `all` also what profile and threshold hold back. The
 * denominator is the added lines of reviewed files whose language has structural rules.
 */
export const suite: Suite = async ({ data, flags }) => {
  const [manifest] = await readRows(data);
  const entries = (manifest?.rows ?? []) as DiffEntry[];
  const tally: Tally = { findings: 0, heldBack: 0, addedLines: 0, byRule: new Map(), hits: [] };
  for (const [at, entry] of entries.entries()) {
    try {
      await count(join(data, entry.file), entry, tally);
    } catch (error) {
      unanswered(String(entry.id ?? `${manifest?.name}[${at}]`), error);
    }
  }
  const per1000 = (n: number) => (n * 1000) / Math.max(1, tally.addedLines);
  const all = tally.findings + tally.heldBack;
  return {
    data: {
      n: entries.length,
      fingerprint: dataFingerprint(entries.map(({ file, sha256 }) => ({ name: file, sha256 }))),
    },
    config: { fingerprint: fingerprint([...tally.byRule.keys()].sort()) },
    rows: [
      { name: "default", n: tally.addedLines, metrics: { per1000: per1000(tally.findings), findings: tally.findings } },
      { name: "all", n: tally.addedLines, metrics: { per1000: per1000(all), findings: all } },
    ],
    notes: [
      ...[...tally.byRule].sort((a, b) => b[1] - a[1]).map(([rule, n]) => `${String(n).padStart(5)}  ${rule}`),
      ...(flags.has("hits") ? tally.hits : []),
    ],
  };
};

async function count(path: string, entry: DiffEntry, tally: Tally): Promise<void> {
  const { job, ports } = await subject({ diff: path, repo: "/", model: "off" }, [], () => {});
  let context: PullRequestContext | null = null;
  let covered: ReadonlySet<string> = new Set();
  const step: Stage = async (room, enter) => {
    const value = await enter();
    if (room === "gather") context = value as unknown as PullRequestContext;
    if (room === "analyze") covered = coveredPaths(value as unknown as Review["signals"]);
    return value;
  };
  const written = await writeReview(job, ports, step);
  if (written.kind === "skipped") throw new Error(`${entry.id} was not reviewed: ${written.reason}`);
  tally.addedLines += addedLines(context, covered);
  const held = written.heldBack.map(({ finding }) => finding);
  tally.findings += written.findings.length;
  tally.heldBack += held.length;
  for (const finding of [...written.findings.map((placed) => placed.finding), ...held]) {
    const rule = finding.rule ?? finding.source;
    tally.byRule.set(rule, (tally.byRule.get(rule) ?? 0) + 1);
    tally.hits.push(
      `${rule}  ${entry.id}  ${finding.path}:${finding.startLine}  ${await lineOf(path, finding.path, context, finding.line)}`,
    );
  }
}

function coveredPaths(signals: Review["signals"]): ReadonlySet<string> {
  return new Set(signals.files.filter(({ language }) => COVERED.has(language)).map(({ path }) => path));
}

function addedLines(context: PullRequestContext | null, covered: ReadonlySet<string>): number {
  return (context?.files ?? []).filter(({ path }) => covered.has(path)).reduce((sum, file) => sum + file.additions, 0);
}

async function lineOf(diff: string, path: string, context: PullRequestContext | null, line: number): Promise<string> {
  const file = context?.files.find((candidate) => candidate.path === path);
  const text = file?.hunks.flatMap((hunk) => hunk.lines).find((candidate) => candidate.newLine === line)?.text;
  return (text ?? (await readFile(diff, "utf8")).slice(0, 0)).trim().slice(0, 160);
}
