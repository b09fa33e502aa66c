// A YAML file as values with their positions, so that every problem can name its line and column.

import type { Path, Place, Trouble } from "./problems.ts";

export interface Entry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Located;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly entries: readonly Entry[];
  readonly place: Place;
}

export type Located =
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null; readonly place: Place }
  | { readonly kind: "list"; readonly items: readonly Located[]; readonly place: Place }
  | Mapping;

/** The values of one file, without defaults, and what is wrong in it. */
export interface FileReading {
  /** Empty when the file sets nothing, or was refused as a whole. */
  readonly root: Mapping;
  readonly troubles: readonly Trouble[];
}

export const NOTHING: Mapping = { kind: "mapping", entries: [], place: { line: 1, column: 1 } };

export function locate(root: Located, path: Path): Located | null {
  return path.reduce<Located | null>((node, part) => {
    if (node?.kind === "list" && typeof part === "number") return node.items[part] ?? null;
    if (node?.kind === "mapping") return node.entries.find((entry) => entry.key === part)?.value ?? null;
    return null;
  }, root);
}

export function itemsAt(root: Mapping, key: string): readonly Located[] {
  const list = locate(root, [key]);
  return list?.kind === "list" ? list.items : [];
}

export function entriesAt(root: Mapping, key: string): readonly Entry[] {
  const mapping = locate(root, [key]);
  return mapping?.kind === "mapping" ? mapping.entries : [];
}

/** The same tree without some of its values and their keys; without its root it is empty. */
export function without(root: Mapping, removed: ReadonlySet<Located>): Mapping {
  const inside = (node: Located): Located => {
    if (node.kind === "scalar") return node;
    if (node.kind === "mapping") return without(node, removed);
    return { ...node, items: node.items.filter((item) => !removed.has(item)).map(inside) };
  };
  const kept = removed.has(root) ? [] : root.entries.filter(({ value }) => !removed.has(value));
  return { ...root, entries: kept.map((entry) => ({ ...entry, value: inside(entry.value) })) };
}

/** The value without its places. Its keys are harmless: `readYaml` refuses Object.prototype's. */
export function bare(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(bare);
  return Object.fromEntries(node.entries.map((entry) => [entry.key, bare(entry.value)]));
}
