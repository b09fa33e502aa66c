// Real pull requests with the lines that people commented on, from a folder of any depth, known by
// their content: golden comments (`comments` and `diff`) and retrieval queries (`diff`, `asOf`,
// `ownInDiff` over a corpus).
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Side } from "../src/domain/pull-request.ts";
import { jsonLines } from "./read-data.ts";
import { answered } from "./unanswered.ts";

/** What a person said about lines of the diff. */
export interface GoldenComment {
  readonly path: string;
  readonly side: Side;
  /** 1-based, inclusive; both 0 for a comment without a line, which is met by its words alone. */
  readonly startLine: number;
  readonly line: number;
  readonly text: string;
  /** What it is about, as the data says it: `Code Defect`; null where it does not. */
  readonly category?: string | null;
}

export interface RealPull {
  readonly id: string;
  /** OWNER/NAME */
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  /**
   * Epoch milliseconds at which it was asked about: memory may know nothing later. Null where the
   * data has no date.
   */
  readonly asOf: number | null;
  readonly diff: string;
  readonly source: "golden" | "own";
  /** Verified, or known to be on a line of the diff. */
  readonly comments: readonly GoldenComment[];
  /** Comments that a person checked and rejected: a finding that meets one is noise for sure. */
  readonly rejected: readonly GoldenComment[];
}

export interface PullsRead {
  /**
   * Golden ones first, then the others; each in an order that favours no repository and is always
   * the same.
   */
  readonly pulls: readonly RealPull[];
  /** Rows of pull requests whose diff is missing: they cannot be read. */
  readonly withoutDiff: number;
  /**
   * Lines of comments to remember, by repository; what they hold is read by
   * `kodiai memory import`'s own reader.
   */
  readonly corpus: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

type Row = Readonly<Record<string, unknown>>;

/** @throws Error when the folder holds no pull request */
export async function readPulls(folder: string): Promise<PullsRead> {
  const golden: Row[] = [];
  const queries: Row[] = [];
  const corpus = new Map<string, string[]>();
  const said = new Map<string, Row>();
  const files: { name: string; sha256: string }[] = [];
  for (const path of await jsonlFiles(folder)) {
    const text = await readFile(path, "utf8");
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const kind = kindOf(lines[0]);
    if (kind === null) continue;
    files.push({ name: relative(folder, path), sha256: createHash("sha256").update(text).digest("hex") });
    for (const row of jsonLines(text, relative(folder, path)) as readonly Row[]) {
      if (kind === "golden") golden.push(row);
      else if (kind === "query") queries.push(row);
      else {
        said.set(String(row.id), row);
        const known = corpus.get(String(row.repo));
        if (known === undefined) corpus.set(String(row.repo), [JSON.stringify(row)]);
        else known.push(JSON.stringify(row));
      }
    }
  }
  if (golden.length + queries.length === 0) throw new Error(`${folder} holds no pull requests with a diff`);
  const idOf = (row: Row) => String(row.id ?? row.url ?? row.repo);
  const read = [
    ...answered(shuffled(golden), idOf, goldenPull),
    ...answered(shuffled(queries), idOf, (row) => queryPull(row, said)),
  ];
  return { pulls: eachOnce(read.filter(({ diff }) => diff !== "")), withoutDiff: countEmpty(read), corpus, files };
}

async function jsonlFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

function kindOf(line: string | undefined): "golden" | "query" | "corpus" | null {
  let row: unknown;
  try {
    row = JSON.parse(line ?? "");
  } catch {
    return null;
  }
  if (typeof row !== "object" || row === null || !("repo" in row)) return null;
  if ("comments" in row && "diff" in row) return "golden";
  if ("diff" in row && "asOf" in row) return "query";
  return "hunk" in row && "createdAt" in row && "text" in row ? "corpus" : null;
}

function shuffled(rows: readonly Row[]): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: createHash("sha256").update(String(row.id)).digest("hex") }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

function goldenPull(row: Row): RealPull {
  return {
    ...basics(row),
    asOf: dateOf(row.asOf),
    source: "golden",
    comments: list(row.comments)
      .filter((one) => one.inDiffFile !== false)
      .flatMap(commentOf),
    rejected: list(row.rejectedComments).flatMap(commentOf),
  };
}

function queryPull(row: Row, said: ReadonlyMap<string, Row>): RealPull {
  const ids: readonly unknown[] = Array.isArray(row.ownInDiff) ? row.ownInDiff : [];
  const own = ids.flatMap((id): readonly Row[] => {
    const row = said.get(String(id));
    return row === undefined ? [] : [row];
  });
  return {
    ...basics(row),
    asOf: dateOf(row.asOf),
    source: "own",
    comments: own.flatMap((one) => commentOf({ ...one, path: one.filePath })),
    rejected: [],
  };
}

function basics(row: Row): Pick<RealPull, "id" | "repo" | "number" | "title" | "body" | "diff"> {
  return {
    id: String(row.id),
    repo: String(row.repo),
    number: Number(row.pr),
    title: String(row.title ?? ""),
    body: typeof row.body === "string" ? row.body : null,
    diff: typeof row.diff === "string" ? row.diff : "",
  };
}

function dateOf(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

function list(value: unknown): readonly Row[] {
  return Array.isArray(value) ? (value as Row[]) : [];
}

/**
 * Without a path it says nothing about a place, and without text nothing at all: then it is not
 * counted.
 */
function commentOf(one: Row): readonly GoldenComment[] {
  const line = Number(one.line ?? 0);
  const text = String(one.text ?? "");
  const path = typeof one.path === "string" ? one.path : "";
  const category = typeof one.category === "string" ? one.category : null;
  if (!Number.isInteger(line) || line < 1)
    return text === "" ? [] : [{ path, side: "RIGHT", startLine: 0, line: 0, text, category }];
  if (path === "") return [];
  const start = Number(one.startLine ?? line);
  const startLine = Number.isInteger(start) && start >= 1 && start <= line ? start : line;
  return [{ path, side: one.side === "LEFT" ? "LEFT" : "RIGHT", startLine, line, text, category }];
}

/**
 * The same pull request in two sources is reviewed once; what people said in the second is kept.
 */
function eachOnce(pulls: readonly RealPull[]): readonly RealPull[] {
  const found = new Map<string, RealPull>();
  for (const pull of pulls) {
    // Rows without a number are known by their id alone.
    const key = Number.isInteger(pull.number) && pull.number > 0 ? `${pull.repo}#${pull.number}` : pull.id;
    const known = found.get(key);
    if (known === undefined) found.set(key, pull);
    else if (known.diff === pull.diff) found.set(key, { ...known, comments: [...known.comments, ...pull.comments] });
  }
  return [...found.values()];
}

function countEmpty(pulls: readonly RealPull[]): number {
  return pulls.filter(({ diff }) => diff === "").length;
}
