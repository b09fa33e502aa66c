// Repositories and commits as maps, for plays without a server: it answers the few questions that
// people's acts ask of the emulator, and compares two commits as GitHub does.

import { createHash } from "node:crypto";
import { structuredPatch } from "diff";
import type { RootEntry } from "../../../src/domain/pull-request.ts";
import type { ChangedFile, ReadChanges } from "./changes.ts";
import type { Json } from "./conversation.ts";
import type { FileContent, Files, GitHalf } from "./emulator.ts";

type Blob = Exclude<FileContent, null>;

interface Commit {
  readonly sha: string;
  readonly parent: string | null;
  readonly message: string;
  readonly files: ReadonlyMap<string, Blob>;
}

export interface PlainGit extends GitHalf {
  /** Makes a repository whose first commit has these files. */
  create(owner: string, name: string, isPrivate: boolean, files: Files): void;
  readonly changes: ReadChanges;
  /** What changed between two commits. */
  compare(before: string, after: string): readonly ChangedFile[];
  /** A file of a commit, or of the default branch; null when it is absent or not a text. */
  text(repo: string, path: string, sha: string | null): string | null;
  /** The newest commit that both descend from. */
  mergeBase(one: string, other: string): string | null;
  /** Files and links at the root of a commit and in `.github`. */
  rootEntries(sha: string): readonly RootEntry[];
  hasFolder(sha: string, folder: string): boolean;
  /** The newest commit of a branch; null when it is missing. */
  tip(repo: string, branch: string): string | null;
  has(sha: string): boolean;
  /** Git's mode of a link or submodule; null for other files. */
  mode(path: string, sha: string): string | null;
}

export function plainGit(app: GitHalf["app"]): PlainGit {
  const commits = new Map<string, Commit>();
  const branches = new Map<string, string>();
  const repositories = new Map<string, Json>();
  const owners = new Map<string, number>();

  const commitOf = (sha: string): Commit => {
    const found = commits.get(sha);
    if (found === undefined) throw new Error(`no commit ${sha}`);
    return found;
  };
  const add = (parent: string | null, files: Files, message: string, fresh: boolean): string => {
    const all = new Map(parent === null || fresh ? [] : commitOf(parent).files);
    for (const [path, content] of Object.entries(files)) {
      if (content === null) all.delete(path);
      else all.set(path, content);
    }
    const sha = createHash("sha1").update(`${commits.size} ${parent} ${message}`).digest("hex");
    commits.set(sha, { sha, parent, message, files: all });
    return sha;
  };
  const ancestors = (sha: string): string[] => {
    const line: string[] = [];
    for (let at: string | null = sha; at !== null; at = commitOf(at).parent) line.push(at);
    return line;
  };
  const mergeBase: PlainGit["mergeBase"] = (one, other) => {
    const line = new Set(ancestors(one));
    return ancestors(other).find((sha) => line.has(sha)) ?? null;
  };
  const compare: PlainGit["compare"] = (before, after) => changed(commitOf(before).files, commitOf(after).files);
  const known = new Map<string, ReturnType<ReadChanges>>();

  return {
    url: "plain:",
    privateKey: "",
    app,
    create(owner, name, isPrivate, files) {
      if (!owners.has(owner)) owners.set(owner, 500 + owners.size);
      const place = `${owner}/${name}`;
      repositories.set(place, {
        id: 900_000 + repositories.size,
        name,
        full_name: place,
        private: isPrivate,
        visibility: isPrivate ? "private" : "public",
        default_branch: "main",
        html_url: `https://github.com/${place}`,
        fork: false,
        owner: { login: owner, id: owners.get(owner) },
      });
      branches.set(`${place} main`, add(null, files, "Lay the ground", true));
    },
    async ask(method, path) {
      const [, place = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(path) ?? [];
      const repository = repositories.get(place);
      if (method !== "GET" || repository === undefined) throw new Error(`${method} ${path}: not known here`);
      if (rest === "") return repository;
      const [, branch] = /^\/git\/ref\/heads\/(.+)$/.exec(rest) ?? [];
      const sha = branches.get(`${place} ${branch}`);
      if (sha !== undefined) return { object: { sha } };
      const [, file = "", ref = ""] = /^\/contents\/(.+)\?ref=(.+)$/.exec(rest) ?? [];
      const content = commits.get(ref)?.files.get(decodeURIComponent(file));
      if (content === undefined) throw new Error(`${method} ${path}: 404`);
      return { content: bytesOf(content).toString("base64") };
    },
    commit: async (_repo, parent, files, message, fresh = false) => add(parent, files, message, fresh),
    async point(repo, branch, sha) {
      branches.set(`${repo} ${branch}`, sha);
    },
    async close() {},
    changes(pull, head = pull.headSha) {
      const key = `${pull.baseSha} ${head}`;
      const from = mergeBase(pull.baseSha, head) ?? pull.baseSha;
      const own = ancestors(head);
      const listed = own.slice(0, own.indexOf(from)).toReversed();
      const made =
        known.get(key) ??
        Promise.resolve({
          files: compare(from, head),
          commits: listed.map((sha) => ({ sha, commit: { message: commitOf(sha).message } })),
        });
      known.set(key, made);
      return made;
    },
    compare,
    text(repo, path, sha) {
      const content = commits.get(sha ?? branches.get(`${repo} main`) ?? "")?.files.get(path);
      if (content === undefined || (typeof content === "object" && "mode" in content)) return null;
      return isBinary(content) ? null : bytesOf(content).toString();
    },
    mergeBase,
    rootEntries: (sha) =>
      [...(commits.get(sha)?.files ?? [])]
        .filter(([path]) => /^(?:\.github\/)?[^/]+$/.test(path))
        .map(([path, content]) => ({ path, kind: typeof content === "object" && "mode" in content ? "link" : "file" })),
    hasFolder: (sha, folder) =>
      [...(commits.get(sha)?.files.keys() ?? [])].some((path) => path.startsWith(`${folder}/`)),
    tip: (repo, branch) => branches.get(`${repo} ${branch}`) ?? null,
    has: (sha) => commits.has(sha),
    mode(path, sha) {
      const content = commits.get(sha)?.files.get(path);
      return typeof content === "object" && "mode" in content ? content.mode : null;
    },
  };
}

function bytesOf(content: Blob): Buffer {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(content.content);
}

function isBinary(content: Blob): boolean {
  return content instanceof Uint8Array && bytesOf(content).includes(0);
}

/** By path; a file that moved without a change is a rename. */
function changed(before: ReadonlyMap<string, Blob>, after: ReadonlyMap<string, Blob>): ChangedFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const differs = paths.filter((path) => !isSame(before.get(path), after.get(path)));
  const gone = new Set(differs.filter((path) => !after.has(path)));
  const files = differs.flatMap((path): ChangedFile[] => {
    const [old, fresh] = [before.get(path), after.get(path)];
    if (fresh === undefined || old !== undefined) return [];
    const from = [...gone].find((one) => isSame(before.get(one), fresh));
    if (from === undefined) return [fileOf(path, undefined, fresh)];
    gone.delete(from);
    return [{ filename: path, previous_filename: from, status: "renamed", additions: 0, deletions: 0, changes: 0 }];
  });
  const rest = differs.filter((path) => before.has(path) && (after.has(path) || gone.has(path)));
  files.push(...rest.map((path) => fileOf(path, before.get(path), after.get(path))));
  return files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1));
}

function isSame(one: Blob | undefined, other: Blob | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return bytesOf(one).equals(bytesOf(other));
}

function fileOf(filename: string, old: Blob | undefined, fresh: Blob | undefined): ChangedFile {
  const status = old === undefined ? "added" : fresh === undefined ? "removed" : "modified";
  const bare = { filename, status, additions: 0, deletions: 0, changes: 0 };
  if ([old, fresh].some((one) => one !== undefined && (isBinary(one) || isSubmodule(one)))) return bare;
  const text = (one: Blob | undefined) => (one === undefined ? "" : bytesOf(one).toString());
  const { hunks } = structuredPatch(filename, filename, text(old), text(fresh), "", "", { context: 3 });
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const [additions, deletions] = ["+", "-"].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
  const patch = hunks
    .map((hunk) =>
      [`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`, ...hunk.lines].join(
        "\n",
      ),
    )
    .join("\n");
  const counts = { additions: additions ?? 0, deletions: deletions ?? 0 };
  return { ...bare, ...counts, changes: lines.length, ...(patch === "" ? {} : { patch }) };
}

/** A side without lines starts at line 0. */
function range(start: number, lines: number): string {
  return lines === 0 ? `${Math.max(0, start - 1)},0` : `${start},${lines}`;
}

function isSubmodule(content: Blob): boolean {
  return typeof content === "object" && "mode" in content && content.mode === "160000";
}
