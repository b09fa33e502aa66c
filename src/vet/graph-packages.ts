// Rows of a dependency graph's comparison, joined to packages: what was removed is before, what was added is after.
import type { GraphAdvisory, GraphRow } from "../domain/dependency-update.ts";
import { compareVersions } from "./compare-versions.ts";
import { packageKey } from "./package-key.ts";
import { bareVersion } from "./update-step.ts";

export interface GraphPackage {
  readonly name: string;
  readonly ecosystem: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly change: "updated" | "added" | "removed";
  /** The manifest that names it, else the lock file. */
  readonly manifest: string;
  /** True when a file that people write names it. */
  readonly inManifest: boolean;
  readonly sourceUrl: string | null;
  readonly licence: { readonly from: string; readonly to: string } | null;
  readonly before: readonly GraphAdvisory[];
  readonly after: readonly GraphAdvisory[];
}

const LOCK =
  /(?:^|\/)(?:[^/]{0,100}[.-]?lock(?:\.json|\.ya?ml|\.hcl|file|b)?|npm-shrinkwrap\.json|[^/]{0,50}\.sum|package\.resolved)$/i;
const MOST_ROWS = 5_000;

/** One entry a package, in the order of the rows. Where several of its versions changed, the highest ones are told. */
export function graphPackages(rows: readonly GraphRow[]): readonly GraphPackage[] {
  const byKey = new Map<string, GraphRow[]>();
  for (const row of rows.slice(0, MOST_ROWS)) {
    const key = packageKey(row.ecosystem, row.name);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [row]);
    else known.push(row);
  }
  return [...byKey.values()].flatMap((all) => joined(all) ?? []);
}

function joined(rows: readonly GraphRow[]): GraphPackage | null {
  const [first] = rows;
  const removed = rows.filter(({ change }) => change === "removed");
  const added = rows.filter(({ change }) => change === "added");
  const [from, to] = [highest(removed), highest(added)];
  if (first === undefined || (removed.length > 0 && added.length > 0 && from !== null && from === to)) return null;
  const manifest = rows.find((row) => !LOCK.test(row.manifest));
  return {
    name: first.name,
    ecosystem: first.ecosystem,
    from,
    to,
    change: removed.length === 0 ? "added" : added.length === 0 ? "removed" : "updated",
    manifest: manifest?.manifest ?? first.manifest,
    inManifest: manifest !== undefined,
    sourceUrl: rows.find(({ sourceUrl }) => sourceUrl !== null)?.sourceUrl ?? null,
    licence: licenceChange(removed, added),
    before: eachOnce(removed),
    after: eachOnce(added),
  };
}

/** Exact versions, as lock files have them, before ranges. */
function highest(rows: readonly GraphRow[]): string | null {
  const exact = rows.filter(({ version }) => /^v?\d/.test(version));
  const versions = (exact.length > 0 ? exact : rows).flatMap(({ version }) => bareVersion(version) ?? []);
  const ecosystem = rows[0]?.ecosystem ?? null;
  const ordered = versions.toSorted((a, b) => compareVersions(ecosystem, a, b) ?? 0);
  return ordered.at(-1) ?? null;
}

function licenceChange(removed: readonly GraphRow[], added: readonly GraphRow[]): GraphPackage["licence"] {
  const [from, to] = [removed, added].map((rows) => rows.find(({ licence }) => licence !== null)?.licence ?? null);
  return from == null || to == null || from === to ? null : { from, to };
}

function eachOnce(rows: readonly GraphRow[]): readonly GraphAdvisory[] {
  return [...new Map(rows.flatMap(({ advisories }) => advisories).map((one) => [one.id, one])).values()];
}
