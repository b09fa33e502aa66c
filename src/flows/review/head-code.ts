// The repository at the head of a change, read once for everything in a review that needs it.
import type { HeadCode, ReadHead } from "../../domain/change-context.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Snapshot, Snapshots } from "../../ports/snapshot.ts";
import type { Symbols } from "../../ports/symbols.ts";
import type { WritingPorts } from "./review-ports.ts";

/** Reads the head when first asked to, unless `review.snapshot` is off. */
export function readsHead(context: PullRequestContext, ports: Pick<WritingPorts, "snapshots" | "symbols">) {
  const { snapshot: setting, contextTokens, lookups } = context.config.review;
  const source = setting === "off" ? null : (ports.snapshots ?? null);
  const symbols = ports.symbols ?? null;
  let read: ReturnType<Snapshots["at"]> | null = null;
  const once = (): ReturnType<Snapshots["at"]> => {
    read ??= source?.at(context.repo, context.pull) ?? Promise.resolve({ snapshot: null, degraded: [] });
    return read;
  };
  return {
    snapshots: source && { at: once },
    symbols,
    /** For rules; null where there is none behind the change, or it is not to be read. */
    repository: source && symbols && { symbols, at: once },
    /** Nothing where neither the context of the change nor look-ups need it. */
    async head(): Promise<ReadHead> {
      if (symbols === null || (contextTokens === 0 && lookups === "off")) return { code: null, degraded: [] };
      const { snapshot, degraded } = await once();
      const near = context.files.map(({ path }) => path);
      return { code: snapshot && headCode(snapshot, symbols, near), degraded };
    },
  };
}

function headCode(snapshot: Snapshot, symbols: Symbols, near: readonly string[]): HeadCode {
  return {
    files: snapshot.files,
    text: (path) => snapshot.text(path),
    async named(name) {
      const found = await symbols.find(snapshot, { used: new Set(), changed: new Set([name]), near });
      return found.symbols.get(name) ?? null;
    },
  };
}
