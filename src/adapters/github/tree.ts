// The files of one commit from GitHub: one listing, and one request for each file that is read.
import { setTimeout as wait } from "node:timers/promises";
import { Transient } from "../../domain/errors.ts";
import type { Repo } from "../../domain/job.ts";
import type { Tree, TreeFile } from "../../ports/memory.ts";
import type { GitHub } from "./clients.ts";
import { placeOf } from "./requests.ts";
import { translated } from "./translate-error.ts";

interface TreeOptions {
  /** With `contents: read`. */
  readonly github: GitHub;
  readonly repo: Repo;
  readonly commit: string;
  /** Milliseconds between the beginnings of two requests for files. GitHub's secondary limit: 900 points a minute, a GET is one. */
  readonly paceMs: number;
}

/** The share of an hour's requests that is reserved for reviews, which use the same limit. */
const LEFT_TO_REVIEWS = 0.2;

/**
 * The tree of a commit. Its methods throw Transient when GitHub cannot answer now, and when the rest of the hourly limit is reserved
 * for reviews.
 */
export function githubTree(options: TreeOptions): Tree {
  return {
    commit: options.commit,
    list: () => translated(() => list(options)),
    texts: (files) => texts(options, files),
  };
}

async function list({ github, repo, commit }: TreeOptions): Promise<Awaited<ReturnType<Tree["list"]>>> {
  const at = { ...placeOf(repo), tree_sha: commit };
  const { data } = await github.rest.git.getTree({ ...at, recursive: "1" });
  const files = data.tree.flatMap(({ path, mode, type, sha, size }): TreeFile[] =>
    type === "blob" && mode !== "120000" && sha !== undefined ? [{ path, hash: sha, bytes: size ?? 0 }] : [],
  );
  const incomplete = data.truncated
    ? `GitHub lists only ${files.length} files of this tree; the others are neither read nor forgotten`
    : null;
  return { files, incomplete };
}

async function* texts(
  options: TreeOptions,
  files: readonly TreeFile[],
): AsyncGenerator<{ readonly file: TreeFile; readonly text: string | null }> {
  let next = 0;
  for (const file of files) {
    const pause = next - performance.now();
    if (pause > 0) await wait(pause);
    next = performance.now() + options.paceMs;
    yield { file, text: await translated(() => text(options, file)) };
  }
}

async function text({ github, repo }: TreeOptions, file: TreeFile): Promise<string | null> {
  const { data, headers } = await github.rest.git.getBlob({ ...placeOf(repo), file_sha: file.hash });
  leaveEnough(headers);
  const bytes = Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8");
  return bytes.includes(0) ? null : bytes.toString("utf8");
}

function leaveEnough(headers: Readonly<Record<string, unknown>>): void {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number(headers[`x-ratelimit-${name}`] ?? Number.NaN),
  );
  if (limit === undefined || remaining === undefined || reset === undefined) return;
  // A server without limits sends no such headers.
  if (!(remaining < limit * LEFT_TO_REVIEWS)) return;
  throw new Transient(
    "the rest of this hour's GitHub requests is reserved for reviews",
    Number.isFinite(reset) ? reset * 1_000 : null,
  );
}
