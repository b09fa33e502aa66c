// context, signals -> DependencyUpdate | null. Looks a dependency update up: advisories, release notes, use. Nothing is
// installed or run, and nothing here says that an update may be merged: it reports what is known and what is not.

import {
  ADVISORIES_PART,
  ADVISORY_RULE,
  type Answer,
  type DependencyUpdate,
  type GraphRow,
  type PackageNotes,
  type PackageUsage,
} from "../domain/dependency-update.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import { ownScope } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Dependencies } from "../ports/dependency.ts";
import type { Recall } from "../ports/memory.ts";
import { type AskedAdvisories, advisoryFindings, judgeAdvisories } from "./advisory-findings.ts";
import { type FoundPackage, findPackages } from "./find-packages.ts";
import { manifestReader } from "./manifest-line.ts";
import { brokenNames, type Published, packageNotes } from "./package-notes.ts";
import { sourceRepository } from "./source-repository.ts";
import { type CodePiece, importNames, usagePlaces } from "./usage.ts";

/** Packages that are looked up; the rest is counted. */
const MAX_PACKAGES = 50;
/** Packages whose notes are read and whose use is searched: direct ones come first. */
const MOST_LOOKED_INTO = 5;
/** Index records read for one package, and places reported. */
const MAX_RECORDS = 40;
const MAX_PLACES = 10;

const NOT_FROM_HERE = "GitHub is not available here";

/** Ecosystems that GitHub's advisories cover, named as in DependencyBump. */
const ADVISED = new Set("npm python go rust ruby java php dotnet github-actions elixir dart swift".split(" "));

/**
 * Looks up what an update brings.
 *
 * @param world null if no lookups are allowed: then only the change itself is read
 * @returns null for a change that is not a dependency update, and if the configuration turns it off
 */
export async function vet(
  context: PullRequestContext,
  { intent, files }: ReviewSignals,
  world: Dependencies | null,
  recall: Recall,
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
  const packages = found.map(({ links, graph: known, ...one }) => ({
    ...one,
    advisories: judgeAdvisories({ ...one, links, graph: known }, asked(one)),
  }));
  const main = found.slice(0, MOST_LOOKED_INTO);
  const notes = await readNotes(
    main.filter(({ change }) => change === "updated"),
    world,
    repo.host,
  );
  const code = await codeOf(context, files, recall);
  const usage: PackageUsage[] = [];
  for (const one of main) {
    const own = notes.find(({ name }) => name === one.name);
    usage.push(await usageOf(one, own?.breaking ?? [], code));
  }
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

interface Asked {
  /** The answers about a package, or why it was not looked up. */
  readonly asked: (one: Pick<FoundPackage, "name" | "ecosystem">) => AskedAdvisories | string;
  readonly degraded: readonly Degraded[];
  /** Why malware advisories could not be looked up, each reason once. */
  readonly malware: readonly string[];
}

/** Names and versions that fit a query, in which a comma ends a package. */
const ASKABLE = /^[\w@][\w.@/:~+-]{0,213}$/;

/** Three queries for each ecosystem: the old versions, the new ones, and malware at the new ones. */
async function askAdvisories(found: readonly FoundPackage[], world: Dependencies | null): Promise<Asked> {
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
    asked: ({ name, ecosystem }) => {
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

/** Code in which use can be searched. */
interface Code {
  readonly changed: readonly CodePiece[];
  /** Searches the index for words; or why there is none. */
  readonly index: ((words: string) => Promise<readonly MemoryRecord[]>) | string;
}

async function codeOf(context: PullRequestContext, files: ReviewSignals["files"], recall: Recall): Promise<Code> {
  const changed = files.flatMap(({ path, kind }): CodePiece[] => {
    const text = kind === "source" || kind === "test" ? context.headTexts.get(path) : undefined;
    return text === undefined ? [] : [{ path, line: 1, text }];
  });
  return { changed, index: await indexOf(context, recall) };
}

async function indexOf({ repo, pull, config }: PullRequestContext, recall: Recall): Promise<Code["index"]> {
  const off = "the code is not indexed (`knowledge.corpora.code`)";
  if (!config.knowledge.corpora.code || recall.off !== undefined) return off;
  const scope = ownScope(repo, pull.number > 0 ? pull.number : null);
  try {
    const counts = await recall.counts(scope);
    if ((counts.byCorpus.get("code") ?? 0) === 0) return off;
  } catch {
    return UNSEARCHABLE;
  }
  return async (words) => {
    const [hits = []] = await recall.matching(scope, [words], MAX_RECORDS, { corpora: ["code"] });
    const records = await recall.records(
      scope,
      hits.map(({ id }) => id),
    );
    return records.filter((one) => one.repo === scope.repo && one.corpus === "code" && !one.stale);
  };
}

const UNSEARCHABLE = "the index of the code could not be searched";

async function usageOf(one: FoundPackage, breaking: PackageNotes["breaking"], code: Code): Promise<PackageUsage> {
  const { name } = one;
  const names = importNames(one);
  if (names.length === 0)
    return { name, kind: "not-looked", reason: "its name cannot be distinguished from other words" };
  const indexed = await indexedPieces(names, code.index);
  if (typeof indexed === "string" && code.changed.length === 0) return { name, kind: "not-looked", reason: indexed };
  const broken = brokenNames(breaking.flatMap(({ lines }) => lines)).filter((word) => !names.includes(word));
  const places = usagePlaces([...code.changed, ...(typeof indexed === "string" ? [] : indexed)], names, broken);
  const where = typeof indexed === "string" ? "the changed files" : "the indexed code";
  const more = Math.max(0, places.length - MAX_PLACES);
  return { name, kind: "looked", where, places: places.slice(0, MAX_PLACES), more };
}

async function indexedPieces(names: readonly string[], index: Code["index"]): Promise<readonly CodePiece[] | string> {
  if (typeof index === "string") return index;
  try {
    const records = await index(names.join(" "));
    return records.flatMap(({ path, text, provenance }): CodePiece[] => {
      const line = Number(/#L(\d{1,9})(?:-|$)/.exec(provenance.url ?? "")?.[1] ?? 0);
      return path === null ? [] : [{ path, line: line === 0 ? null : line, text }];
    });
  } catch {
    return UNSEARCHABLE;
  }
}
