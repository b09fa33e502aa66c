// Which packages an update changes, and from which version to which. Three sources, the most reliable first: the host's
// dependency graph, the diff of the manifests, and the pull request's own text.

import type { GraphAdvisory, GraphRow, PackageUpdate } from "../domain/dependency-update.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import type { DependencyBump } from "../domain/signals.ts";
import { compareTexts } from "../domain/text/compare-texts.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { bareVersion, compareVersions, isPrerelease, packageKey, updateStep } from "./compare-versions.ts";
import { manifestReader, type NamedPackage } from "./manifest-line.ts";

/** A package with what is needed to look it up. */
export interface FoundPackage extends Omit<PackageUpdate, "advisories"> {
  /** Addresses that may lead to its source, the most reliable first. */
  readonly links: readonly (string | null)[];
  /** The dependency graph's entry; null if the graph does not list the package. */
  readonly graph: Pick<GraphPackage, "before" | "after"> | null;
}

/** What a diff or the dependency graph knows about a package. */
type ChangedPackage = Pick<PackageUpdate, "name" | "ecosystem" | "from" | "to" | "change" | "direct" | "place">;

/** What the sources know about one package. */
interface Said {
  readonly graph: GraphPackage | null;
  readonly moved: ChangedPackage | null;
  readonly described: DescribedPackage | null;
  readonly ecosystem: string | null;
}

/**
 * Every package that one of the sources names: direct ones first, then by name.
 *
 * @param rows of the dependency graph; [] if it could not be read
 */
export function findPackages(
  bump: DependencyBump,
  body: string | null,
  files: readonly FileDiff[],
  rows: readonly GraphRow[],
): readonly FoundPackage[] {
  const graph = graphPackages(rows);
  const moved = diffPackages(files);
  const described = withTitle(bump, packagesFromDescription(body ?? ""));
  const ecosystems = new Set([...graph, ...moved].map(({ ecosystem }) => ecosystem));
  const only = bump.ecosystem ?? (ecosystems.size === 1 ? ([...ecosystems][0] ?? null) : null);

  const said = new Map<string, Said>();
  const add = (name: string, ecosystem: string | null, part: Partial<Said>) => {
    const key = packageKey(ecosystem, name);
    const before = said.get(key) ?? { graph: null, moved: null, described: null, ecosystem };
    said.set(key, { ...before, ...part });
  };
  for (const one of graph) add(one.name, one.ecosystem, { graph: one });
  for (const one of moved) add(one.name, one.ecosystem, { moved: one });
  for (const one of described) add(one.name, only, { described: one });
  return [...said.values()].map(found).sort(compareFound);
}

/** The title comes first: it names what the update is about. */
function withTitle(
  { packageName, from, to }: DependencyBump,
  described: readonly DescribedPackage[],
): readonly DescribedPackage[] {
  if (packageName === null) return described;
  const same = described.find(({ name }) => name.toLowerCase() === packageName.toLowerCase());
  const first = { name: packageName, from: same?.from ?? from, to: same?.to ?? to, links: same?.links ?? [] };
  return [first, ...described.filter((one) => one !== same)];
}

function found({ graph, moved, described, ecosystem }: Said): FoundPackage {
  const first = graph ?? moved;
  const change = first?.change ?? "updated";
  // The description alone may fill what both others leave open.
  const version = (which: "from" | "to") =>
    graph?.[which] ?? moved?.[which] ?? (change === "updated" ? (described?.[which] ?? null) : null);
  const [from, to] = [version("from"), version("to")];
  return {
    name: (first ?? described)?.name ?? "",
    ecosystem,
    from,
    to,
    change,
    step: updateStep(ecosystem, from, to),
    toPrerelease: to !== null && isPrerelease(to),
    direct: (moved ?? graph)?.direct ?? null,
    source: graph !== null ? "graph" : moved !== null ? "diff" : "text",
    place: (moved ?? graph)?.place ?? null,
    saidTo: first === null ? null : disagreement(ecosystem, to, described?.to ?? null),
    licence: graph?.licence ?? null,
    links: [graph?.sourceUrl ?? null, ...(described?.links ?? [])],
    graph,
  };
}

/** "to v14" in a title and `14.0.1` in the manifest are the same target. */
function disagreement(ecosystem: string | null, to: string | null, said: string | null): string | null {
  if (to === null || said === null || to === said || to.startsWith(`${said}.`)) return null;
  return compareVersions(ecosystem, to, said) === 0 ? null : said;
}

function compareFound(a: FoundPackage, b: FoundPackage): number {
  const rank = ({ direct }: FoundPackage) => (direct === true ? 0 : direct === null ? 1 : 2);
  return rank(a) - rank(b) || compareTexts(a.name, b.name);
}

// Packages from the diff of the manifests: one that is on removed and on added lines was updated.

interface Line extends NamedPackage {
  readonly line: number | null;
}

const MAX_LINES = 5_000;

/** Each package once, in the order of the files; with several manifests the first one counts. */
function diffPackages(files: readonly FileDiff[]): readonly ChangedPackage[] {
  const all = Map.groupBy(files.flatMap(inFile), ({ ecosystem, name }) => packageKey(ecosystem, name));
  return [...all.values()].flatMap(([first]) => first ?? []);
}

function inFile(file: FileDiff): readonly ChangedPackage[] {
  const read = manifestReader(file.path);
  if (read === null) return [];
  const removed = new Map<string, Line>();
  const added = new Map<string, Line>();
  for (const { kind, text, newLine } of file.hunks.flatMap(({ lines }) => lines).slice(0, MAX_LINES)) {
    const named = kind === "context" ? null : read(text);
    if (named !== null)
      (kind === "added" ? added : removed).set(packageKey(named.ecosystem, named.name), { ...named, line: newLine });
  }
  return [...new Set([...added.keys(), ...removed.keys()])].flatMap((key) => {
    const [before, after] = [removed.get(key), added.get(key)];
    const one = after ?? before;
    // A line that only moved, or whose comma changed, is not an update.
    if (one === undefined || (before !== undefined && before.version === after?.version)) return [];
    return {
      name: one.name,
      ecosystem: one.ecosystem,
      from: before?.version ?? null,
      to: after?.version ?? null,
      change: before === undefined ? "added" : after === undefined ? "removed" : "updated",
      direct: one.direct,
      place: { path: file.path, line: after?.line ?? null },
    };
  });
}

// Rows of a dependency graph's comparison, joined to packages: removed rows are the old version, added rows the new one.

interface GraphPackage extends ChangedPackage {
  readonly sourceUrl: string | null;
  readonly licence: PackageUpdate["licence"];
  readonly before: readonly GraphAdvisory[];
  readonly after: readonly GraphAdvisory[];
}

const LOCK =
  /(?:^|\/)(?:[^/]{0,100}[.-]?lock(?:\.json|\.ya?ml|\.hcl|file|b)?|npm-shrinkwrap\.json|[^/]{0,50}\.sum|package\.resolved)$/i;
const MAX_ROWS = 5_000;

/** One entry a package, in the order of the rows. If several of its versions changed, the highest ones are reported. */
function graphPackages(rows: readonly GraphRow[]): readonly GraphPackage[] {
  const byKey = Map.groupBy(rows.slice(0, MAX_ROWS), ({ ecosystem, name }) => packageKey(ecosystem, name));
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
    // The manifest that people write, else the lock file.
    place: { path: (manifest ?? first).manifest, line: null },
    direct: manifest === undefined ? null : true,
    sourceUrl: rows.find(({ sourceUrl }) => sourceUrl !== null)?.sourceUrl ?? null,
    licence: licenceChange(removed, added),
    before: eachOnce(removed),
    after: eachOnce(added),
  };
}

/** Exact versions, as lock files have them, are preferred to ranges. */
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

// Packages, versions and source addresses from a bot's description. It is a claim, used only if nothing better is known.

/** A package as the description names it. */
interface DescribedPackage {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Addresses next to its name. */
  readonly links: readonly string[];
}

const MAX_BODY_LINES = 2_000;
const MAX_PACKAGES = 200;

const NAME = "\\[(?<linked>[^\\]]{1,214})\\]\\((?<url>[^()\\s]{1,500})\\)";
const [FROM, TO] = ["from", "to"].map((which) => `\`?(?<${which}>v?\\d[\\w.+!~-]{0,99})\`?`);
/** Dependabot: "Bumps [x](url) from A to B.", "Updates `x` from A to B". */
const FROM_TO = new RegExp(
  `^(?:Bumps|Updates|Removes) (?:${NAME}|\`(?<quoted>[^\`]{1,214})\`)(?: from ${FROM})?(?: to ${TO}?\\.?)?\\s{0,9}$`,
);
/** Dependabot's table of a large group: | [x](url) | `A` | `B` |. */
const CELLS = new RegExp(`^\\|\\s{0,9}${NAME}\\s{0,9}\\|\\s{0,9}${FROM}\\s{0,9}\\|\\s{0,9}${TO}\\s{0,9}\\|`);
/** Renovate's: | [x](url) ([source](url)) | kind | step | [`A` -> `B`](url) |; newer ones write →. */
const ARROW = /`([^\s`]{1,100})`\s{1,2}(?:->|→)\s{1,2}`([^\s`]{1,100})`/;
const LINK = /\[([^\]]{1,214})\]\((https?:\/\/[^()\s]{1,500})\)/g;

/** Reads a description, Markdown by a bot or an imitator, without folded parts: they hold release notes. At most 200 packages. */
export function packagesFromDescription(body: string): readonly DescribedPackage[] {
  const packages = new Map<string, DescribedPackage>();
  for (const line of plainLines(body, "left-out").slice(0, MAX_BODY_LINES)) {
    const one = fromSentence(line) ?? fromArrow(line);
    if (one === null) continue;
    const before = packages.get(one.name);
    if (before === undefined && packages.size >= MAX_PACKAGES) break;
    const [from, to] = [before?.from ?? one.from, before?.to ?? one.to];
    packages.set(one.name, { name: one.name, from, to, links: [...(before?.links ?? []), ...one.links].slice(0, 6) });
  }
  return [...packages.values()];
}

function fromSentence(line: string): DescribedPackage | null {
  const match = FROM_TO.exec(line) ?? CELLS.exec(line);
  if (match === null) return null;
  const { linked, url, quoted, from, to } = match.groups ?? {};
  return toPackage(linked ?? quoted ?? "", from, to, url === undefined ? [] : [url]);
}

function fromArrow(line: string): DescribedPackage | null {
  const match = line.startsWith("|") ? ARROW.exec(line) : null;
  if (match === null) return null;
  const cell = line.slice(1, line.indexOf("|", 1));
  const links = [...cell.matchAll(LINK)];
  const urls = links.map(([, , url = ""]) => url);
  return toPackage(links[0]?.[1] ?? cell.trim(), match[1], match[2], urls);
}

function toPackage(
  name: string,
  from: string | undefined,
  to: string | undefined,
  links: readonly string[],
): DescribedPackage | null {
  const plain = name.replaceAll("`", "").replaceAll("\\", "").trim();
  if (!/^[\w@][\w.@/:~-]{0,213}$/.test(plain)) return null;
  const [before, after] = [from, to].map((version) =>
    version === undefined ? null : bareVersion(version.replace(/\.$/, "")),
  );
  return { name: plain, from: before ?? null, to: after ?? null, links };
}

// Markdown by others as the lines that a reader sees: without HTML comments and code blocks, and optionally without folded
// parts.

/** Longer lines hold no sentence about a version. */
const LONGEST_LINE = 2_000;
const MAX_TEXT = 200_000;

/** Lines of at most 2,000 units from the first 200,000 units of a text. Linear in its length. */
export function plainLines(text: string, folds: "kept" | "left-out"): readonly string[] {
  const lines: string[] = [];
  let folded = 0;
  let fence: string | null = null;
  // An unclosed comment runs to the end of the text.
  const visible = text.slice(0, MAX_TEXT).replace(/<!--.*?(?:-->|$)/gs, "");
  for (const line of visible.split(/\r?\n/)) {
    const wasInside = fence !== null;
    fence = fenceAfter(line, fence);
    if (wasInside || fence !== null) continue;
    const depth = folded;
    for (const [, closes] of line.matchAll(/<(\/?)details/gi)) folded += closes === "" ? 1 : -1;
    folded = Math.max(0, folded);
    if (folds === "kept" || (depth === 0 && folded === 0)) lines.push(cutText(line, LONGEST_LINE));
  }
  return lines;
}

/** The fence of the code block that is open after this line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line.slice(0, 200))?.[1] ?? null;
  if (open === null) return mark;
  return mark?.startsWith(open) === true ? null : open;
}
