// Which packages an update moves, and from where to where. Three sources, the surest first: the host's dependency graph, the
// diff of the manifests, and what the pull request says of itself.
import type { PackageUpdate } from "../domain/dependency-update.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import type { DependencyBump } from "../domain/signals.ts";
import { compareVersions } from "./compare-versions.ts";
import { diffPackages, type MovedPackage } from "./diff-packages.ts";
import { type GraphPackage, graphPackages } from "./graph-packages.ts";
import { packageKey } from "./package-key.ts";
import { type ToldPackage, toldPackages } from "./told-packages.ts";
import { isPrerelease, updateStep } from "./update-step.ts";

/** A package with what is needed to ask about it. */
export interface FoundPackage extends Omit<PackageUpdate, "advisories"> {
  /** Addresses that may lead to its source, the surest first. */
  readonly links: readonly (string | null)[];
  /** What the dependency graph knows; null where it does not list the package. */
  readonly graph: Pick<GraphPackage, "before" | "after"> | null;
}

/** What the sources say of one package. */
interface Said {
  readonly graph: GraphPackage | null;
  readonly moved: MovedPackage | null;
  readonly told: ToldPackage | null;
  readonly ecosystem: string | null;
}

/**
 * Every package that one of the sources names: direct ones first, then by name.
 *
 * @param rows of the dependency graph; [] where it could not be read
 */
export function findPackages(
  bump: DependencyBump,
  body: string | null,
  files: readonly FileDiff[],
  rows: Parameters<typeof graphPackages>[0],
): readonly FoundPackage[] {
  const graph = graphPackages(rows);
  const moved = diffPackages(files);
  const told = withTitle(bump, toldPackages(body ?? ""));
  const ecosystems = new Set([...graph, ...moved].map(({ ecosystem }) => ecosystem));
  const only = bump.ecosystem ?? (ecosystems.size === 1 ? ([...ecosystems][0] ?? null) : null);

  const said = new Map<string, Said>();
  const add = (name: string, ecosystem: string | null, part: Partial<Said>) => {
    const key = packageKey(ecosystem, name);
    const before = said.get(key) ?? { graph: null, moved: null, told: null, ecosystem };
    said.set(key, { ...before, ...part });
  };
  for (const one of graph) add(one.name, one.ecosystem, { graph: one });
  for (const one of moved) add(one.name, one.ecosystem, { moved: one });
  for (const one of told) add(one.name, only, { told: one });
  return [...said.values()].map(found).sort(compareFound);
}

/** The title comes first: it names what the update is about. */
function withTitle({ packageName, from, to }: DependencyBump, told: readonly ToldPackage[]): readonly ToldPackage[] {
  if (packageName === null) return told;
  const same = told.find(({ name }) => name.toLowerCase() === packageName.toLowerCase());
  const first = { name: packageName, from: same?.from ?? from, to: same?.to ?? to, links: same?.links ?? [] };
  return [first, ...told.filter((one) => one !== same)];
}

function found({ graph, moved, told, ecosystem }: Said): FoundPackage {
  const first = graph ?? moved;
  const from = versionOf("from", graph, moved, told);
  const to = versionOf("to", graph, moved, told);
  return {
    name: (first ?? told)?.name ?? "",
    ecosystem,
    from,
    to,
    change: changeOf(graph, moved),
    step: updateStep(ecosystem, from, to),
    toPrerelease: to !== null && isPrerelease(to),
    direct: isDirect(graph, moved),
    source: graph !== null ? "graph" : moved !== null ? "diff" : "text",
    place: moved?.place ?? inGraph(graph),
    saidTo: first === null ? null : disagreement(ecosystem, to, told?.to ?? null),
    licence: graph?.licence ?? null,
    links: linksOf(graph, told),
    graph,
  };
}

function linksOf(graph: GraphPackage | null, told: ToldPackage | null): FoundPackage["links"] {
  return [graph?.sourceUrl ?? null, ...(told?.links ?? [])];
}

function inGraph(graph: GraphPackage | null): PackageUpdate["place"] {
  return graph === null ? null : { path: graph.manifest, line: null };
}

/** What was there and what is now, by the surest source that knows; the description alone may fill what both leave open. */
function versionOf(
  which: "from" | "to",
  graph: GraphPackage | null,
  moved: MovedPackage | null,
  told: ToldPackage | null,
): string | null {
  const isOneSided = changeOf(graph, moved) !== "updated";
  return graph?.[which] ?? moved?.[which] ?? (isOneSided ? null : (told?.[which] ?? null));
}

function changeOf(graph: GraphPackage | null, moved: MovedPackage | null): PackageUpdate["change"] {
  return graph?.change ?? moved?.change ?? "updated";
}

function isDirect(graph: GraphPackage | null, moved: MovedPackage | null): boolean | null {
  if (moved !== null) return moved.direct;
  return graph?.inManifest === true ? true : null;
}

/** "to v14" in a title and `14.0.1` in the manifest are the same target. */
function disagreement(ecosystem: string | null, to: string | null, said: string | null): string | null {
  if (to === null || said === null || to === said || to.startsWith(`${said}.`)) return null;
  return compareVersions(ecosystem, to, said) === 0 ? null : said;
}

function compareFound(a: FoundPackage, b: FoundPackage): number {
  const rank = ({ direct }: FoundPackage) => (direct === true ? 0 : direct === null ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
