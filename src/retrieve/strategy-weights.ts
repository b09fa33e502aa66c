// What the gate's strategy changes: how much each retriever counts. It never switches one off.
import type { Knowledge } from "../config/knowledge.ts";
import type { Strategy } from "../domain/retrieval.ts";
import type { RetrieverWeights } from "./fuse.ts";

const WEIGHTS: Readonly<Record<Strategy, RetrieverWeights>> = {
  semantic: { vector: 1, keyword: 0.6 },
  keyword: { vector: 0.6, keyword: 1 },
  hybrid: { vector: 1, keyword: 1 },
  "related-files": { vector: 1, keyword: 1 },
};

/** Memories of the same file or folder under `related-files`. */
export const RELATED_FILES_FACTOR = 1.2;

/** The factors that a strategy multiplies the retrievers' own weights with; without a strategy all count alike. */
export function strategyWeights(strategy: Strategy | null, own: RetrieverWeights): RetrieverWeights {
  const factors = WEIGHTS[strategy ?? "hybrid"];
  return { vector: own.vector * factors.vector, keyword: own.keyword * factors.keyword };
}

/** Weights of the configuration belong to the weighted fusion; ranks are weighed by how good the embedder is. */
export function ownWeights(
  { fusion, weights }: Knowledge["retrieval"],
  embedder: { readonly weight: number } | null,
): RetrieverWeights {
  if (fusion === "weighted") return { vector: weights.semantic, keyword: weights.keyword };
  return { vector: embedder?.weight ?? 1, keyword: 1 };
}

/**
 * 1.2 when the memory is about a changed file or one in the same folder, and the strategy is to look at related files;
 * else 1. Files at the top of the repository share no folder.
 */
export function relatedFilesFactor(
  strategy: Strategy | null,
  path: string | null,
  changed: { readonly paths: ReadonlySet<string>; readonly folders: ReadonlySet<string> },
): number {
  if (strategy !== "related-files" || path === null) return 1;
  return changed.paths.has(path) || changed.folders.has(folderOf(path)) ? RELATED_FILES_FACTOR : 1;
}

/** The changed paths and their folders, for relatedFilesFactor. */
export function changedPlaces(paths: readonly string[]): {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
} {
  const folders = new Set(paths.map(folderOf));
  folders.delete("");
  return { paths: new Set(paths), folders };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
