// Merged changes on which no reviewer of the data said anything: what is posted on them is noise,
// or was overlooked.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDiff } from "../src/gather/parse-diff.ts";
import type { PullsRead, RealPull } from "./pull-requests.ts";
import { jsonLines } from "./read-data.ts";

const DRAWN = 40;
const SEED = "clean changes 1";
/**
 * Changed lines: fewer are mostly versions and typing errors, more are seldom merged without a
 * word.
 */
const LINES = { least: 5, most: 150 };
const MERGED = new Set(["pull-request", "merge-first-parent"]);

interface ManifestRow {
  readonly id: string;
  readonly repo: string;
  readonly kind: string;
  readonly head: string;
  readonly file: string;
  readonly files: readonly { readonly additions: number | null; readonly deletions: number | null }[];
}

/**
 * Draws them by a seeded hash: the same ones each time.
 *
 * @param data the folder that holds `diffs/manifest.jsonl`
 * @param corpus comments by repository: a change with a line that one of them is about is left out
 */
export async function readCleanChanges(data: string, { corpus }: PullsRead): Promise<readonly RealPull[]> {
  const folder = join(data, "diffs");
  const manifest = await readFile(join(folder, "manifest.jsonl"), "utf8");
  const rows = (jsonLines(manifest, "manifest.jsonl") as readonly ManifestRow[])
    .filter(({ kind, files }) => MERGED.has(kind) && isSmall(files))
    .toSorted((a, b) => (hashOf(a.id) < hashOf(b.id) ? -1 : 1));
  const drawn: RealPull[] = [];
  for (const row of rows) {
    if (drawn.length === DRAWN) break;
    const diff = await readFile(join(folder, row.file), "utf8");
    if (!isCommentedOn(diff, corpus.get(row.repo) ?? [])) drawn.push(pullOf(row, diff));
  }
  return drawn;
}

function isSmall(files: ManifestRow["files"]): boolean {
  const lines = files.reduce((sum, { additions, deletions }) => sum + (additions ?? 0) + (deletions ?? 0), 0);
  return lines >= LINES.least && lines <= LINES.most;
}

function hashOf(id: string): string {
  return createHash("sha256").update(`${SEED} ${id}`).digest("hex");
}

function pullOf({ id, repo, head }: ManifestRow, diff: string): RealPull {
  const number = Number.parseInt(head.slice(0, 7), 16);
  const title = `Merge ${head.slice(0, 7)}`;
  return { id, repo, number, title, body: null, asOf: null, diff, source: "own", comments: [], rejected: [] };
}

/** Whether a line that somebody commented on is among the changed ones. */
function isCommentedOn(diff: string, comments: readonly string[]): boolean {
  const { files } = parseDiff(diff);
  const changed = new Set(
    files.flatMap(({ path, hunks }) =>
      hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === "context" ? [] : [`${path}\n${text}`]))),
    ),
  );
  return comments.some((row) => {
    const { filePath, hunk } = JSON.parse(row) as { readonly filePath?: string; readonly hunk?: string };
    const about = hunk?.split("\n").at(-1)?.slice(1) ?? "";
    return about.trim().length > 3 && changed.has(`${filePath}\n${about}`);
  });
}
