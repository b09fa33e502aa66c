// Repositories at the heads of pull requests, from git bundles (`OWNER+NAME.bundle` with
// `refs/pull/N/head`).
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gitTree } from "../src/adapters/git/snapshot.ts";
import type { Snapshot, SnapshotFile } from "../src/ports/snapshot.ts";

/** Larger files are data; a review does not read them either. */
const MOST_BYTES = 256_000;

/** The repository of one pull request. */
export interface PullRepository {
  snapshot(): Promise<Snapshot>;
  /** A file at the head, of any size; null where there is none. */
  text(path: string): Promise<string | null>;
}

export interface Repositories {
  /** Null where no bundle has the pull request. */
  of(repo: string, number: number): Promise<PullRepository | null>;
  close(): Promise<void>;
}

const run = promisify(execFile);

/** @param folder with bundles; null: there are no repositories */
export async function openRepositories(folder: string | null): Promise<Repositories> {
  if (folder === null) return { of: () => Promise.resolve(null), close: () => Promise.resolve() };
  const bundles = new Set((await readdir(folder)).filter((name) => name.endsWith(".bundle")));
  const place = await mkdtemp(join(tmpdir(), "kodiai-eval-repositories-"));
  const opened = new Map<string, Promise<string>>();
  const open = async (name: string): Promise<string> => {
    const repository = join(place, name);
    await run("git", ["init", "--quiet", "--bare", repository]);
    const bundle = resolve(folder, name);
    await run("git", ["-C", repository, "fetch", "--quiet", bundle, "refs/pull/*:refs/pull/*"]);
    return repository;
  };
  return {
    async of(repo, number) {
      const name = `${repo.replaceAll("/", "+")}.bundle`;
      if (!bundles.has(name)) return null;
      const at = opened.get(name) ?? open(name);
      opened.set(name, at);
      const files = await textsOf(await at, `refs/pull/${number}/head`).catch(() => null);
      return files === null ? null : repositoryOf(files);
    },
    close: () => rm(place, { recursive: true, force: true }),
  };
}

type Texts = ReadonlyMap<string, { readonly blob: string; readonly bytes: number; readonly text: string }>;

async function textsOf(repository: string, revision: string): Promise<Texts> {
  const tree = await gitTree(repository, revision);
  const files = new Map<string, { blob: string; bytes: number; text: string }>();
  for await (const { file, text } of tree.texts((await tree.list()).files))
    if (text !== null) files.set(file.path, { blob: file.hash, bytes: file.bytes, text });
  return files;
}

function repositoryOf(texts: Texts): PullRepository {
  const files = new Map<string, SnapshotFile>();
  for (const [path, { blob, bytes }] of texts) if (bytes <= MOST_BYTES) files.set(path, { path, blob, bytes });
  const snapshot: Snapshot = {
    sha: "",
    files,
    text: async (path) => (files.has(path) ? (texts.get(path)?.text ?? null) : null),
  };
  return { snapshot: async () => snapshot, text: async (path) => texts.get(path)?.text ?? null };
}
