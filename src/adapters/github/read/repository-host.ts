// A repository's state on GitHub: name, owner, visibility, head of its default branch.

import type { Repo } from "../../../domain/job.ts";
import { decodeText } from "../../../domain/text/decode-text.ts";
import type { ReachableRepository, RepositoryHost, Tree, TreeFile, Unreachable } from "../../../ports/memory.ts";
import type { Clients, GitHub } from "../clients.ts";
import { leaveEnough, pacer, placeOf, repoOf, statusOf, unlessStatus } from "../requests.ts";
import { translated } from "../translate-error.ts";

interface RepositoryHostOptions {
  readonly clients: Pick<Clients, "forReading" | "installationOf">;
  readonly installationId: number;
  /** As in the delivery; only its host and id are reliable. */
  readonly repo: Repo;
  /** Milliseconds between two requests for files. */
  readonly paceMs: number;
}

/** The repository behind an id. `lookUp` throws Transient when GitHub cannot answer now. */
export function githubRepositoryHost(options: RepositoryHostOptions): RepositoryHost {
  return { lookUp: () => translated(() => lookUp(options)) };
}

async function lookUp(options: RepositoryHostOptions): Promise<ReachableRepository | Unreachable> {
  const { repo, paceMs } = options;
  const unreachable = (reason: string, isMissing: boolean) => ({ kind: "unreachable", reason, isMissing }) as const;
  try {
    const reader = await readerOf(options);
    if (reader === null) return unreachable("the App does not reach the repository", true);
    const [owner = "", name = ""] = reader.name.split("/");
    const { data } = await reader.github.rest.repos.get({ owner, repo: name });
    // A name can be reused; an id cannot.
    if (data.id !== repo.id) return unreachable(`${reader.name} is now another repository`, false);
    const now = repoOf(repo.host, data);
    const head = () => translated(() => headOf(reader.github, now, data.default_branch, paceMs));
    return { kind: "reachable", repo: now, head };
  } catch (error) {
    const status = statusOf(error);
    const reason = REFUSALS.get(status);
    if (reason === undefined) throw error;
    return unreachable(reason, status === 410);
  }
}

/**
 * Of the delivery's installation, or of the one that reaches the repository now: after a transfer
 * or a new installation the old one loses access, and its event may come late.
 */
async function readerOf({ clients, installationId, repo }: RepositoryHostOptions): ReturnType<Clients["forReading"]> {
  const reader = await clients.forReading(installationId, repo);
  if (reader !== null) return reader;
  const other = await clients.installationOf(repo);
  return other === null || other === installationId ? null : clients.forReading(other, repo);
}

/** Refusals that a retry would not change. Rate limits (403 too) are Transient before. */
const REFUSALS = new Map([
  [403, "GitHub refuses: the installation is suspended, or a permission was withdrawn"],
  [404, "GitHub does not find it under its name"],
  [410, "GitHub says that it was deleted"],
  [451, "it is blocked for legal reasons"],
]);

async function headOf(github: GitHub, repo: Repo, branch: string, paceMs: number): Promise<Tree | null> {
  // No such branch: the repository has no commits yet.
  const found = await unlessStatus([404], () => github.rest.repos.getBranch({ ...placeOf(repo), branch }));
  return found && githubTree(github, repo, found.data.commit.sha, paceMs);
}

// The files of one commit from GitHub: one listing, and one request for each file that is read.

/**
 * The tree of a commit, by a token with `contents: read`. Its methods throw Transient when GitHub
 * cannot answer now, and when the rest of the hourly limit is reserved for reviews.
 */
export function githubTree(github: GitHub, repo: Repo, commit: string, paceMs: number): Tree {
  const paced = pacer(paceMs);

  async function text({ hash }: TreeFile): Promise<string | null> {
    const { data, headers } = await github.rest.git.getBlob({ ...placeOf(repo), file_sha: hash });
    leaveEnough(headers);
    const bytes = Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8");
    return decodeText(bytes);
  }

  return {
    commit,
    list: () =>
      translated(async () => {
        const at = { ...placeOf(repo), tree_sha: commit };
        const { data } = await github.rest.git.getTree({ ...at, recursive: "1" });
        const files = data.tree.flatMap(({ path, mode, type, sha, size }): TreeFile[] =>
          type === "blob" && mode !== "120000" && sha !== undefined ? [{ path, hash: sha, bytes: size ?? 0 }] : [],
        );
        const incomplete = data.truncated
          ? `GitHub lists only ${files.length} files of this tree; the others are neither read nor forgotten`
          : null;
        return { files, incomplete };
      }),
    async *texts(files) {
      for (const file of files) yield { file, text: await paced(() => translated(() => text(file))) };
    },
  };
}
