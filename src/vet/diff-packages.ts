// What the diff of the manifests says: a package that stands on removed and on added lines has moved.
import type { FileDiff } from "../domain/pull-request.ts";
import { manifestReader, type NamedPackage } from "./manifest-line.ts";
import { packageKey } from "./package-key.ts";

export interface MovedPackage {
  readonly name: string;
  readonly ecosystem: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly change: "updated" | "added" | "removed";
  readonly direct: boolean;
  /** Its added line; of a package that went, its file. */
  readonly place: { readonly path: string; readonly line: number | null };
}

interface Line extends NamedPackage {
  readonly line: number | null;
}

const MOST_LINES = 5_000;

/** Each package once, in the order of the files; in several manifests the first one counts. */
export function diffPackages(files: readonly FileDiff[]): readonly MovedPackage[] {
  const moved = new Map<string, MovedPackage>();
  for (const file of files) {
    for (const one of inFile(file)) {
      const key = packageKey(one.ecosystem, one.name);
      if (!moved.has(key)) moved.set(key, one);
    }
  }
  return [...moved.values()];
}

function inFile(file: FileDiff): readonly MovedPackage[] {
  const read = manifestReader(file.path);
  if (read === null) return [];
  const removed = new Map<string, Line>();
  const added = new Map<string, Line>();
  for (const { kind, text, newLine } of file.hunks.flatMap(({ lines }) => lines).slice(0, MOST_LINES)) {
    const named = kind === "context" ? null : read(text);
    if (named !== null)
      (kind === "added" ? added : removed).set(packageKey(named.ecosystem, named.name), { ...named, line: newLine });
  }
  return [...new Set([...added.keys(), ...removed.keys()])].flatMap((key) => {
    const [before, after] = [removed.get(key), added.get(key)];
    const one = after ?? before;
    // A line that only moved, or whose comma changed, updates nothing.
    const isSame = before !== undefined && after !== undefined && before.version === after.version;
    return one === undefined || isSame ? [] : [movedPackage(file.path, one, before, after)];
  });
}

function movedPackage(path: string, one: Line, before: Line | undefined, after: Line | undefined): MovedPackage {
  return {
    name: one.name,
    ecosystem: one.ecosystem,
    from: before?.version ?? null,
    to: after?.version ?? null,
    change: before === undefined ? "added" : after === undefined ? "removed" : "updated",
    direct: one.direct,
    place: { path, line: after?.line ?? null },
  };
}
