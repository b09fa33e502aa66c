// What of a repository a reviewer of a change has to see besides the diff.
import type { Reference } from "./code/symbols.ts";
import type { Finding } from "./finding.ts";
import type { Degraded } from "./omissions.ts";

/** Why code is shown. */
export type ContextKind = "enclosing" | "definition" | "caller" | "sibling" | "mentioned" | "package" | "test";

/** Lines of one file at the head that the diff does not show. */
export interface Excerpt {
  readonly path: string;
  /** For people: `around the change`, `defines parse`; each once. */
  readonly why: readonly string[];
  /** 1-based, ascending, not always consecutive. */
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

/** Where a name that changed is used. */
export interface CallSites {
  readonly name: string;
  readonly kind: "caller" | "test";
  readonly sites: readonly Reference[];
  /** Further lines that use it. */
  readonly more: number;
}

/** The context of a change, cut to its room. */
export interface ChangeContext {
  readonly kind: "change-context";
  /** `head-texts`: of the changed files alone. */
  readonly from: "snapshot" | "head-texts" | "nothing";
  /** Most worth first. */
  readonly excerpts: readonly Excerpt[];
  readonly callSites: readonly CallSites[];
  /** What there was no room for. */
  readonly cut: readonly { readonly kind: ContextKind; readonly count: number }[];
  /** Estimated, of everything above. */
  readonly tokens: number;
  readonly degraded: readonly Degraded[];
}

/** What of a context these findings speak about: files by their path or name, names by the word. */
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

/** Where nothing of the repository is shown. */
export function noContext(degraded: readonly Degraded[] = []): ChangeContext {
  return { kind: "change-context", from: "nothing", excerpts: [], callSites: [], cut: [], tokens: 0, degraded };
}
