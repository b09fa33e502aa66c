// context, signals -> DependencyUpdate | null. Looks a dependency update up: advisories, release notes, use. Nothing is
// installed or run, and nothing here says that an update may be merged: it reports what is known and what is not.

import {
  ADVISORIES_PART,
  ADVISORY_RULE,
  type Answer,
  type DependencyUpdate,
  type GraphRow,
  type PackageNotes,
  type PackageUpdate,
  type PackageUsage,
  type UsagePlace,
} from "../domain/dependency-update.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { compareTexts } from "../domain/text/compare-texts.ts";
import type { Dependencies } from "../ports/dependency.ts";
import { type AskedAdvisories, advisoryFindings, judgeAdvisories } from "./advisory-findings.ts";
import { type FoundPackage, findPackages } from "./find-packages.ts";
import { manifestReader } from "./manifest-line.ts";
import { brokenNames, type Published, packageNotes, sourceRepository } from "./package-notes.ts";

/** Packages that are looked up; the rest is counted. */
const MAX_PACKAGES = 50;
/** Packages whose notes are read and whose use is searched: direct ones come first. */
const MOST_LOOKED_INTO = 5;
/** Places reported for one package. */
const MAX_PLACES = 10;

const NOT_FROM_HERE = "GitHub is not available here";

/** Ecosystems that GitHub's advisories cover, named as in DependencyBump. */
const ADVISED = new Set("npm python go rust ruby java php dotnet github-actions elixir dart swift".split(" "));

/**
 * @param world null if no lookups are allowed: then only the change itself is read
 * @returns null for a change that is not a dependency update, and if the configuration turns it off
 */
export async function vet(
  context: PullRequestContext,
  { intent, files }: ReviewSignals,
  world: Dependencies | null,
): Promise<DependencyUpdate | null> {
  const { repo, pull, config } = context;
  if (intent.bump === null || !config.review.dependencies) return null;
  const graph: Answer<readonly GraphRow[]> =
    world === null
      ? { kind: "unknown", reason: NOT_FROM_HERE }
      : await world.changes(repo, pull.base.sha, pull.head.sha);
  const all = findPackages(intent.bump, pull.body, context.files, graph.kind === "read" ? graph.value : []);
  const found = all.slice(0, MAX_PACKAGES);
  const { asked, degraded, malware } = await askAdvisories(found, world);
  const packages = found.map((one) => {
    const { links: _links, graph: _graph, ...update } = one;
    return { ...update, advisories: judgeAdvisories(one, asked(one)) };
  });
  const main = found.slice(0, MOST_LOOKED_INTO);
  const notes = await readNotes(
    main.filter(({ change }) => change === "updated"),
    world,
    repo.host,
  );
  const changed = changedCode(context, files);
  const usage = main.map((one) => {
    const own = notes.find(({ name }) => name === one.name);
    return usageOf(one, own?.breaking ?? [], changed);
  });
  return {
    kind: "update",
    packages,
    more: all.length - found.length,
    notes,
    usage,
    notLooked: [
      ...(graph.kind === "unknown" ? [{ what: "the dependency graph", reason: graph.reason }] : []),
      ...malware.map((reason) => ({ what: "malware advisories", reason })),
    ],
    degraded,
    findings: advisoryFindings(packages, config.rules[ADVISORY_RULE], manifestOf(context)),
  };
}

/** The file that an update without a known place is reported on: a reviewed manifest, else any changed file. */
function manifestOf({ files, leftOut }: PullRequestContext): string | null {
  const manifest = files.find(({ path }) => manifestReader(path) !== null) ?? leftOut[0] ?? files[0];
  return manifest?.path ?? null;
}

/** Names and versions that fit a query, in which a comma ends a package. */
const ASKABLE = /^[\w@][\w.@/:~+-]{0,213}$/;

/**
 * Three queries for each ecosystem: the old versions, the new ones, and malware at the new ones.
 *
 * @returns `asked`: the answers about a package, or why it was not looked up; `malware`: why malware advisories could not be
 *   looked up, each reason once
 */
async function askAdvisories(found: readonly FoundPackage[], world: Dependencies | null) {
  if (world === null) return { asked: () => NOT_FROM_HERE, degraded: [], malware: [] };
  const answers = new Map<string, AskedAdvisories>();
  for (const ecosystem of new Set(found.map((one) => one.ecosystem))) {
    if (ecosystem === null || !ADVISED.has(ecosystem)) continue;
    const own = found.filter((one) => one.ecosystem === ecosystem && ASKABLE.test(one.name));
    const ask = async (version: "from" | "to", type: "reviewed" | "malware") => {
      // The dependency graph already has the advisories of its packages, but none about malware.
      const asks = own.filter(({ graph }) => type === "malware" || graph === null);
      const packages = asks.flatMap(({ name, [version]: at }) => (at === null ? [] : [{ name, version: at }]));
      return packages.length === 0 ? null : world.advisories(ecosystem, packages, type);
    };
    answers.set(ecosystem, {
      before: await ask("from", "reviewed"),
      after: await ask("to", "reviewed"),
      malware: await ask("to", "malware"),
    });
  }
  const failures = (parts: readonly (keyof AskedAdvisories)[]) =>
    [...answers.values()].flatMap((one) =>
      parts.flatMap((part) => (one[part]?.kind === "unknown" ? [one[part].reason] : [])),
    );
  return {
    asked: ({ name, ecosystem }: FoundPackage) => {
      if (!ASKABLE.test(name)) return "its name cannot be looked up";
      if (ecosystem === null) return "its ecosystem is not known";
      return answers.get(ecosystem) ?? "GitHub has no advisories about this kind of package";
    },
    degraded: [...new Set(failures(["before", "after"]))].map((reason) => ({ part: ADVISORIES_PART, reason })),
    malware: [...new Set(failures(["malware"]))],
  };
}

async function readNotes(
  packages: readonly FoundPackage[],
  world: Dependencies | null,
  host: string,
): Promise<readonly PackageNotes[]> {
  const read = new Map<string, Published>();
  const notes: PackageNotes[] = [];
  for (const one of packages) {
    const source = sourceRepository(one, one.links, host);
    const repository = source === null ? null : `${source.owner}/${source.name}`;
    const needsNone = one.to === null || one.step === "downgrade";
    if (repository !== null && source !== null && world !== null && !needsNone && !read.has(repository)) {
      read.set(repository, await world.releases(source));
    }
    const none = world === null ? NOT_FROM_HERE : "its source repository on this GitHub is not known";
    notes.push(packageNotes(one, repository, read.get(repository ?? "") ?? { kind: "unknown", reason: none }));
  }
  return notes;
}

function changedCode({ headTexts }: PullRequestContext, files: ReviewSignals["files"]): readonly CodePiece[] {
  return files.flatMap(({ path, kind }) => {
    const text = kind === "source" || kind === "test" ? headTexts.get(path) : undefined;
    return text === undefined ? [] : [{ path, line: 1, text }];
  });
}

function usageOf(one: FoundPackage, breaking: PackageNotes["breaking"], changed: readonly CodePiece[]): PackageUsage {
  const { name } = one;
  const names = importNames(one);
  if (names.length === 0)
    return { name, kind: "not-looked", reason: "its name cannot be distinguished from other words" };
  if (changed.length === 0) return { name, kind: "not-looked", reason: "the update changes no code" };
  const broken = brokenNames(breaking.flatMap(({ lines }) => lines)).filter((word) => !names.includes(word));
  const places = usagePlaces(changed, names, broken);
  return { name, kind: "looked", places: places.slice(0, MAX_PLACES), more: Math.max(0, places.length - MAX_PLACES) };
}

// Where the repository names a package: whole words only, in the changed files.

/** A piece of code with its place. */
interface CodePiece {
  readonly path: string;
  /** 1-based line of its first line, or null. */
  readonly line: number | null;
  readonly text: string;
}

/** Shorter names are common words in any program. */
const SHORTEST = 3;
const LONGEST_PIECE = 1_000_000;

/** Parts of a coordinate that name no package in code. */
const IMPORT_PREFIX = /^(?:python-|py-|node-|go-|ruby-)/;

/**
 * What code writes to use a package: its name, and the forms that its ecosystem derives from it, without
 * those too short to distinguish from other words.
 */
export function importNames({ name, ecosystem }: Pick<PackageUpdate, "name" | "ecosystem">): readonly string[] {
  const names = [name];
  if (ecosystem === "python") names.push(name.toLowerCase().replaceAll("-", "_"), name.replace(IMPORT_PREFIX, ""));
  if (ecosystem === "rust") names.push(name.replaceAll("-", "_"));
  if (ecosystem === "ruby") names.push(name.replaceAll("-", "/"));
  if (ecosystem === "go") names.push(goPackage(name));
  if (ecosystem === "java") names.splice(0, 1, name.slice(0, Math.max(0, name.indexOf(":"))) || name);
  if (ecosystem === "php") names.push(name.slice(name.indexOf("/") + 1));
  return [...new Set(names)].filter(({ length }) => length >= SHORTEST);
}

/** The last part of the path that is not a major version. */
function goPackage(name: string): string {
  const parts = name.split("/").filter((part) => !/^v\d{1,3}$/.test(part));
  return parts.at(-1)?.replace(/^go-|\.v\d{1,3}$/g, "") ?? name;
}

/**
 * The pieces that name one of `names`, by path and line, each place once.
 *
 * @param broken names from breaking notes, to be looked for at the same places
 */
export function usagePlaces(
  pieces: readonly CodePiece[],
  names: readonly string[],
  broken: readonly string[],
): readonly UsagePlace[] {
  const places = new Map<string, UsagePlace>();
  for (const { path, line, text } of pieces) {
    const code = text.slice(0, LONGEST_PIECE);
    const at = firstPlace(code, names);
    if (at === null) continue;
    const place = {
      path,
      line: line === null ? null : line + at,
      broken: broken.filter((name) => wordAt(code, name) !== -1),
    };
    places.set(JSON.stringify([path, place.line]), place);
  }
  return [...places.values()].sort((a, b) => compareTexts(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0));
}

/** Lines before the first place, or null when none of the names occurs. */
function firstPlace(code: string, names: readonly string[]): number | null {
  const found = names.map((name) => wordAt(code, name)).filter((at) => at !== -1);
  return found.length === 0 ? null : code.slice(0, Math.min(...found)).split("\n").length - 1;
}

/** The first place of a word with no letter, digit or other name character beside it; -1 when there is none. Linear. */
function wordAt(code: string, word: string): number {
  for (let at = code.indexOf(word); at !== -1; at = code.indexOf(word, at + 1)) {
    const [before, after] = [code.charAt(at - 1), code.charAt(at + word.length)];
    if (!/[\w$-]/.test(before) && !/[\w$-]/.test(after)) return at;
  }
  return -1;
}
