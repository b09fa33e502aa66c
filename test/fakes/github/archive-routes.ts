// Archives of commits: the API sends to another address with a token in its query, which hands out
// what git archive would write.
import { gzipSync } from "node:zlib";
import { Hono } from "hono";
import { type Pack, pack } from "tar-stream";
import { isJson, type Json } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";
import { type Hub, type RouteEnv, repositoryOf } from "./hub.ts";

/**
 * Where archives are handed out; no part of the API. On github.com it is a host of its own
 * (codeload.github.com).
 */
export const ARCHIVE_PATHS = "/_codeload/";

/** A request for an archive as its host sees it. */
export interface ArchiveRequest {
  readonly path: string;
  readonly query: string;
  readonly authorization: string | null;
}

export interface ArchiveDesk {
  /** In the query of each address. */
  readonly token: string;
  readonly requests: readonly ArchiveRequest[];
  /** Where the API sends in place of its own host; null: there. */
  sendTo: string | null;
  /** What is answered in place of the archive; null: the archive. */
  answer: ((files: () => Promise<readonly ArchivedFile[]>) => Response | Promise<Response>) | null;
}

export interface ArchivedFile {
  readonly path: string;
  /** `100644`, `100755`, `120000` (the bytes are its target), `160000`. */
  readonly mode: string;
  readonly bytes: Buffer;
}

/**
 * Paths that a repository's `.gitattributes` keeps out of archives; enough of git's patterns for
 * tests.
 */
function isIgnored(path: string, attributes: string): boolean {
  const patterns = [...attributes.matchAll(/^(\S+)\s+export-ignore$/gm)].map(([, pattern = ""]) => pattern);
  return patterns.some((pattern) => path === pattern || path.startsWith(`${pattern.replace(/\/?$/, "/")}`));
}

/** What `git archive` makes of `export-subst`: any text stands in the place of `$Format:…$`. */
function substituted(path: string, bytes: Buffer, attributes: string): Buffer {
  const isMeant = attributes.split("\n").includes(`${path} export-subst`);
  return isMeant ? Buffer.from(bytes.toString("utf8").replaceAll(/\$Format:[^$]*\$/g, "v1.2.3")) : bytes;
}

/** The archive as GitHub packs it: all of it in one folder, with the commit in a header before. */
export async function archiveOf(files: readonly ArchivedFile[], folder: string): Promise<Buffer> {
  const tar = pack();
  const attributes = files.find(({ path }) => path === ".gitattributes")?.bytes.toString("utf8") ?? "";
  tar.entry({ name: `${folder}/`, type: "directory", mode: 0o775 });
  for (const { path, mode, bytes } of files) {
    const name = `${folder}/${path}`;
    if (isIgnored(path, attributes)) continue;
    if (mode === "160000") tar.entry({ name: `${name}/`, type: "directory" });
    else if (mode === "120000") tar.entry({ name, type: "symlink", linkname: bytes.toString("utf8") });
    else tar.entry({ name, mode: mode === "100755" ? 0o775 : 0o664 }, substituted(path, bytes, attributes));
  }
  tar.finalize();
  return gzipSync(await bytesOf(tar));
}

export async function bytesOf(tar: Pack): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

export function openArchiveDesk(): ArchiveDesk & { readonly requests: ArchiveRequest[] } {
  return { token: "AVPXK4QC7JZM3TNW5SRYHDLGE2UBF", requests: [], sendTo: null, answer: null };
}

/** GitHub's answer: a redirect, whose status is 302. */
export function archiveRoutes(hub: Hub, desk: ArchiveDesk): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  routes.get("/repos/:owner/:repo/tarball/:ref", (c) => {
    const { owner, name } = repositoryOf(hub, c);
    const host = desk.sendTo ?? `${hub.apiUrl}${ARCHIVE_PATHS.slice(0, -1)}`;
    const address = `${host}/${owner}/${name}/legacy.tar.gz/${c.req.param("ref")}?token=${desk.token}`;
    return c.body(null, 302, { location: address });
  });
  return routes;
}

/** The host that hands archives out. */
export function archivePages(
  hub: Hub,
  git: GitHalf,
  desk: ArchiveDesk & { readonly requests: ArchiveRequest[] },
): Hono {
  const pages = new Hono();
  pages.get(`${ARCHIVE_PATHS}:owner/:repo/legacy.tar.gz/:ref`, async (c) => {
    const { pathname, search } = new URL(c.req.url);
    desk.requests.push({ path: pathname, query: search, authorization: c.req.header("authorization") ?? null });
    if (c.req.query("token") !== desk.token) return c.text("404: Not Found", 404);
    const { owner, repo, ref } = c.req.param();
    if (!hub.repositories.has(`${owner}/${repo}`.toLowerCase())) return c.text("404: Not Found", 404);
    const files = () => filesOf(git, `${owner}/${repo}`, ref);
    if (desk.answer !== null) return desk.answer(files);
    const packed = await archiveOf(await files(), `${owner}-${repo}-${ref.slice(0, 7)}`);
    return new Response(new Uint8Array(packed), { headers: { "content-type": "application/x-gzip" } });
  });
  return pages;
}

async function filesOf(git: GitHalf, repo: string, commit: string): Promise<ArchivedFile[]> {
  const tree = await git.ask("GET", `/repos/${repo}/git/trees/${commit}?recursive=1`);
  const entries = (Array.isArray(tree.tree) ? tree.tree.filter(isJson) : []).filter(({ type }) => type !== "tree");
  const files: ArchivedFile[] = [];
  for (const { path, mode, sha, type } of entries) {
    const blob: Json = type === "blob" ? await git.ask("GET", `/repos/${repo}/git/blobs/${sha}`) : { content: "" };
    files.push({ path: String(path), mode: String(mode), bytes: Buffer.from(String(blob.content), "base64") });
  }
  return files;
}
