// The parts of a repository that a reviewer needs besides the diff. It is read, never run.
import type { Reference } from "./code/symbols.ts";
import type { Finding } from "./finding.ts";
import type { Degraded } from "./omissions.ts";

/** Why an excerpt is shown. */
export type ContextKind =
  | "enclosing"
  | "called"
  | "caller"
  | "implemented"
  | "definition"
  | "sibling"
  | "mentioned"
  | "package";

/** Lines of one file at the head that the diff does not show. */
export interface Excerpt {
  readonly path: string;
  /** For people: `around the change`, `defines parse`; each once. */
  readonly why: readonly string[];
  /** 1-based, ascending, not always consecutive. */
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

/** The lines that use a changed name. */
export interface CallSites {
  readonly name: string;
  readonly sites: readonly Reference[];
  /** Further lines that use it. */
  readonly more: number;
}

/** The context of a change, cut to its token budget. */
export interface ChangeContext {
  readonly kind: "change-context";
  /** `head-texts`: built from the changed files only. */
  readonly from: "snapshot" | "head-texts" | "nothing";
  /** Most valuable first. */
  readonly excerpts: readonly Excerpt[];
  readonly callSites: readonly CallSites[];
  /** What did not fit. */
  readonly cut: readonly { readonly kind: ContextKind; readonly count: number }[];
  /** Estimated, for everything above. */
  readonly tokens: number;
  readonly degraded: readonly Degraded[];
}

/**
 * The part of a context that these findings mention: files by path or name, symbols by whole word.
 */
export function citedContext(
  { excerpts, callSites }: Pick<ChangeContext, "excerpts" | "callSites">,
  findings: readonly Pick<Finding, "path" | "title" | "body">[],
): Pick<ChangeContext, "excerpts" | "callSites"> {
  const said = findings.map(({ title, body }) => `${title}\n${body}`).join("\n");
  const words = new Set(said.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  const own = new Set(findings.map(({ path }) => path));
  const isCited = ({ path, why }: Excerpt) =>
    own.has(path) ||
    said.includes(path.split("/").at(-1) ?? path) ||
    why.some((one) => words.has(one.split(" ").at(-1) ?? ""));
  return { excerpts: excerpts.filter(isCited), callSites: callSites.filter(({ name }) => words.has(name)) };
}

/** The context when nothing of the repository is shown. */
export function noContext(degraded: readonly Degraded[] = []): ChangeContext {
  return { kind: "change-context", from: "nothing", excerpts: [], callSites: [], cut: [], tokens: 0, degraded };
}

/** The repository at the head of a change. */
export interface HeadCode {
  /** UTF-8 text of a file; null when there is none or it is binary. */
  text(path: string): Promise<string | null>;
}

/** The result of reading the head. */
export interface ReadHead {
  /** Null when it could not be read, or was not needed. */
  readonly code: HeadCode | null;
  readonly degraded: readonly Degraded[];
}

/**
 * Lines of files with their secrets masked: the one way in which a model sees those that the diff
 * does not show.
 */
export type MaskedLines = (path: string) => Promise<readonly string[] | null>;

/**
 * Whole files are masked before lines are taken out: a line from within a key shows nothing by
 * itself.
 *
 * @param mask see Model; the number of lines stays
 */
export function maskedLines(head: HeadCode, mask: (text: string) => Promise<string>): MaskedLines {
  const read = new Map<string, Promise<readonly string[] | null>>();
  const masked = async (path: string) => {
    const text = await head.text(path);
    return text === null ? null : (await mask(text)).replace(/\n$/, "").split(/\r?\n/);
  };
  return (path) => {
    const lines = read.get(path) ?? masked(path);
    read.set(path, lines);
    return lines;
  };
}
