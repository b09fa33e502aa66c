// The only links that Kodiai writes: to this repository's files and commits, to comments on its own
// GitHub, and to the pages of rules.
import type { Finding } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import type { Review } from "../domain/review.ts";
import { codeSpan } from "./sanitize.ts";

/** Files that GitHub renders: without `plain=1`, line anchors in their addresses do nothing. */
const RENDERED = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|org|textile|rdoc|mediawiki|wiki|ipynb|svg|csv|tsv)$/i;

/** Longer ones are not written: a path of GitHub's maximum length would fill a summary. */
const URL_LIMIT = 800;

/**
 * The address of lines of a file at a commit.
 *
 * @param path as git knows it; unsafe characters are percent-encoded
 * @param lines 1-based and inclusive; null for the whole file
 * @returns null for a host without pages (`local`, `eval`), a path that a browser would rewrite
 *   (`..`), and an address of more than 800 characters
 */
export function permalink(
  repo: Repo,
  sha: string,
  path: string,
  lines: { readonly startLine: number; readonly line: number } | null,
): string | null {
  const root = repositoryUrl(repo);
  const segments = path.split("/");
  if (root === null || segments.some((segment) => segment === "" || segment === "." || segment === "..")) return null;
  const query = lines !== null && RENDERED.test(path) ? "?plain=1" : "";
  const url = `${root}/blob/${encode(sha)}/${segments.map(encode).join("/")}${query}${anchor(lines)}`;
  return url.length > URL_LIMIT ? null : url;
}

/** A commit by its first digits, linked where the host has pages. */
export function linkedCommit(repo: Repo, sha: string): string {
  const root = repositoryUrl(repo);
  return linkedCode(sha.slice(0, 7), root === null ? null : `${root}/commit/${encode(sha)}`);
}

/** The finding's place as code, linked where the host has pages and the side is the head's. */
export function placeOf(review: Pick<Review, "repo" | "headSha" | "reviewed">, finding: Finding): string {
  const { path, startLine, line } = finding;
  const text = startLine === line ? `${path}:${line}` : `${path}:${startLine}-${line}`;
  const isInvented = finding.source === "model" && !review.reviewed.includes(path);
  // Lines of the base belong to the merge base, whose commit is not known here.
  const hasPage = finding.side === "RIGHT" && !isInvented;
  return linkedCode(text, hasPage ? permalink(review.repo, review.headSha, path, finding) : null);
}

/** A file, or a line of it, at a commit. */
export function linkedLine(repo: Repo, sha: string, path: string, line: number | null): string {
  const at = line === null ? null : { startLine: line, line };
  return linkedCode(line === null ? path : `${path}:${line}`, permalink(repo, sha, path, at));
}

/** `[text](url)`; null for an address that may not be linked (safeUrl). `text` is inert Markdown */
export function linkTo(repo: Pick<Repo, "host">, text: string, url: string | null): string | null {
  const address = url === null ? null : safeUrl(repo, url);
  return address === null ? null : `[${text}](${address})`;
}

/** A code span that leads to `url`, or the bare code span without one. */
export function linkedCode(text: string, url: string | null): string {
  return url === null ? codeSpan(text) : `[${codeSpan(text)}](${url})`;
}

/**
 * An address on the repository's own GitHub, safe inside a Markdown link. Memories may come from
 * anywhere, and readers trust our links: no other host is linked.
 *
 * @returns null unless it is a plain https address there, without a user, spaces, brackets or
 *   quotes
 */
export function safeUrl({ host }: Pick<Repo, "host">, url: string): string | null {
  const found = /^https:\/\/([\w.:-]{1,300})\/[\w./?=&%#~+-]*$/.exec(url);
  return found?.[1]?.toLowerCase() === host.toLowerCase() && url.length <= 2000 ? url : null;
}

function repositoryUrl(repo: Repo): string | null {
  if (repo.host === "local" || repo.host === "eval" || !/^[\w.-]+(?::\d+)?$/.test(repo.host)) return null;
  return `https://${repo.host}/${encode(repo.owner)}/${encode(repo.name)}`;
}

function anchor(lines: { readonly startLine: number; readonly line: number } | null): string {
  if (lines === null) return "";
  return lines.startLine === lines.line ? `#L${lines.line}` : `#L${lines.startLine}-L${lines.line}`;
}

/** encodeURIComponent, plus the characters it keeps that mean something in Markdown. */
function encode(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
