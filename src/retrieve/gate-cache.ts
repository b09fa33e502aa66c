// Decisions of the gate, kept for a while: the same question about the same head is not asked twice.
import { createHash } from "node:crypto";
import type { GateDecision } from "../domain/retrieval.ts";
import type { GateConfig } from "./gate.ts";
import type { GateContext } from "./gate-context.ts";

/** Decisions kept at once; the one kept longest goes first. */
const MOST = 1_000;

export interface GateCache {
  /** The decision, unless it is older than the time to live. Times are epoch milliseconds. */
  find(key: string, now: number, ttlMs: number): GateDecision | null;
  keep(key: string, decision: GateDecision, now: number): void;
  clear(): void;
  readonly size: number;
}

/** An empty cache. It holds at most 1,000 decisions and knows no clock. */
export function gateCache(most: number = MOST): GateCache {
  const kept = new Map<string, { readonly decision: GateDecision; readonly at: number }>();
  return {
    find(key, now, ttlMs) {
      const entry = kept.get(key);
      if (entry === undefined) return null;
      if (now - entry.at < ttlMs && now >= entry.at) return entry.decision;
      kept.delete(key);
      return null;
    },
    keep(key, decision, now) {
      kept.delete(key);
      kept.set(key, { decision, at: now });
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(oldest);
      }
    },
    clear: () => kept.clear(),
    get size() {
      return kept.size;
    },
  };
}

/**
 * The key of a decision: a hash of all that it depends on. Trigger, request, history, title, body, files with their
 * reasons, signals, repository, pull request, head, memory's version and the gate's configuration.
 */
export function gateKey(context: GateContext, config: GateConfig): string {
  const { counts, version, searchable, noGain = null } = context.memory;
  const { signals } = context;
  const told = [
    [context.trigger, context.explicit, context.question, context.history, context.title, context.body],
    [context.project, context.repo, context.pull, context.headSha, counts?.total ?? null, version, searchable, noGain],
    context.files.map(({ path, status, additions, deletions, complete }) => [
      path,
      status,
      additions,
      deletions,
      complete,
    ]),
    context.leftOut.map(({ path, reason }) => [path, reason]),
    [signals.intent, signals.risks, signals.languages],
    { ...config, skipPatterns: sources(config.skipPatterns), retrievePatterns: sources(config.retrievePatterns) },
  ];
  return createHash("sha256").update(JSON.stringify(told)).digest("hex");
}

function sources(patterns: GateConfig["skipPatterns"]): readonly string[] {
  return patterns.map(({ source }) => source);
}
