// What a reviewer has to see besides the diff: the functions around the hunks, what changed lines call, who else calls what
// changed. From the repository at the head; without it from the changed files alone.
import { createHash } from "node:crypto";
import {
  type CallSites,
  type ChangeContext,
  type Excerpt,
  type MaskedLines,
  maskedLines,
  noContext,
} from "../domain/change-context.ts";
import { folderOf, isTestPath, nameOf } from "../domain/code/paths.ts";
import type { Definition, NamedSymbol, Reference } from "../domain/code/symbols.ts";
import { CHARS_PER_TOKEN } from "../domain/model.ts";
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { FileKind, ReviewSignals } from "../domain/signals.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { Snapshot, SnapshotFile, Snapshots } from "../ports/snapshot.ts";
import type { Symbols } from "../ports/symbols.ts";
import { importedPackages, manifestsOf, tellingLines } from "./manifests.ts";
import {
  type ChangedName,
  type ChangeNames,
  changeNames,
  type Holders,
  holdersOf,
  touchedLines,
  type UsedName,
} from "./names.ts";
import { type Candidate, countByKind, type Range, shareBudget, shownLine } from "./share-budget.ts";

interface ContextPorts {
  /** Null or absent: the change has no repository behind it. */
  readonly snapshots?: Snapshots | null;
  readonly symbols?: Symbols | null;
  /** See Model; absent: lines are shown as they are. */
  readonly mask?: ((text: string) => Promise<string>) | undefined;
}

/** Call sites shown of one name. */
const MOST_SITES = 8;
const MOST_TESTS = 3;
/** A function that is longer is shown by its head and what is around the hunk. */
const WHOLE_LINES = 150;
const HEAD_LINES = 6;
const AROUND = 40;
/** The same where the budget is small. */
const NEAR = 12;
const DEFINITION_LINES = { short: 16, full: 70 };

/**
 * Collects the context of a change and cuts it to `review.contextTokens`.
 *
 * @param ports null when no model will read it
 * @returns never throws for what the repository holds; what is missing is in `degraded`
 */
export async function contextOf(
  context: PullRequestContext,
  signals: ReviewSignals,
  ports: ContextPorts | null,
): Promise<ChangeContext> {
  const budget = Math.floor(context.config.review.contextTokens * CHARS_PER_TOKEN);
  const { snapshots, symbols } = ports ?? {};
  if (budget === 0 || symbols === undefined || symbols === null) return noContext();
  const read = (await snapshots?.at(context.repo, context.pull)) ?? { snapshot: null, degraded: [] };
  const head = withHeadTexts(read.snapshot, context);
  const kinds = new Map(signals.files.map(({ path, kind }) => [path, kind]));
  const files = context.files.filter(({ path, binary }) => !binary && head.files.has(path));
  const edited = files.filter(({ status }) => status !== "added" && status !== "removed");
  const outlines = new Map<string, readonly Definition[]>();
  for (const { path } of edited) outlines.set(path, await symbols.outline(path, (await head.text(path)) ?? ""));
  const changedTexts = await linesOf(
    head,
    files.map(({ path }) => path),
  );
  const names = changeNames(context.files, outlines, kinds, changedTexts);
  const words = filesByWord(changedTexts);
  const near = context.files.map(({ path }) => path);
  const found = await symbols.find(head, {
    used: new Set(names.used.map(({ name }) => name)),
    changed: new Set(names.changed.map(({ name }) => name)),
    near,
  });
  const inDiff = shownByDiff(context.files);
  const calls = callSites(names.changed, found.symbols, inDiff, near);
  const candidates = [
    ...enclosing(edited, outlines, kinds),
    ...defined(names, found.symbols, words),
    ...siblings(names.changed, found.symbols, words),
    ...wholeFiles(edited, changedTexts, kinds),
    ...(read.snapshot === null ? [] : mentioned(context, head)),
  ];
  const packages = importedPackages(context.files);
  const manifests = read.snapshot === null ? [] : manifestsOf(context.files, head.files.keys());
  const texts = await linesOf(head, [...candidates.map(({ path }) => path), ...manifests]);
  for (const path of manifests) {
    const lines = tellingLines(texts.get(path) ?? [], packages);
    const ranges = lines.map((line) => ({ first: line, last: line }));
    if (ranges.length > 0)
      candidates.push({ kind: "package", path, why: "declared versions", short: ranges, full: ranges, worth: 30 });
  }
  const called = fitted(calls, budget * CALLS_PART);
  const shared = shareBudget(candidates, texts, inDiff, budget - called.used);
  const lines = maskedLines(head, ports?.mask ?? (async (text) => text));
  return {
    kind: "change-context",
    from: read.snapshot === null ? (head.files.size === 0 ? "nothing" : "head-texts") : "snapshot",
    excerpts: await Promise.all(shared.excerpts.map((excerpt) => maskedExcerpt(excerpt, lines))),
    callSites: await Promise.all(called.shown.map((call) => maskedSites(call, lines))),
    cut: [...shared.cut, ...called.cut],
    tokens: Math.ceil((shared.used + called.used) / CHARS_PER_TOKEN),
    degraded: [...read.degraded, ...found.degraded, ...symbols.missed()],
  };
}

/** The snapshot with the changed files as gather read them: some are larger than what a snapshot holds. */
function withHeadTexts(snapshot: Snapshot | null, { headTexts, pull }: PullRequestContext): Snapshot {
  const files = new Map<string, SnapshotFile>(snapshot?.files ?? []);
  for (const [path, text] of headTexts) {
    const blob = createHash("sha256").update(text).digest("hex");
    if (!files.has(path)) files.set(path, { path, blob, bytes: text.length });
  }
  return {
    sha: pull.head.sha,
    files,
    unread: snapshot?.unread ?? [],
    text: async (path) => headTexts.get(path) ?? (await snapshot?.text(path)) ?? null,
  };
}

async function linesOf(head: Snapshot, paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = new Map<string, readonly string[]>();
  for (const path of new Set(paths)) texts.set(path, (await head.text(path))?.split("\n") ?? []);
  return texts;
}

function shownByDiff(files: readonly FileDiff[]): ReadonlyMap<string, ReadonlySet<number>> {
  return new Map(
    files.map(({ path, hunks }) => [
      path,
      new Set(hunks.flatMap(({ lines }) => lines.flatMap(({ newLine }) => newLine ?? []))),
    ]),
  );
}

const KIND_WORTH: Readonly<Record<FileKind, number>> = { source: 100, infra: 90, config: 80, test: 35, docs: 20 };

/** Each hunk's function; or, of a long one, its head and what is around the hunk. */
function enclosing(
  files: readonly FileDiff[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
  kinds: ReadonlyMap<string, FileKind>,
): readonly Candidate[] {
  return files.flatMap((file): Candidate[] => {
    const { path } = file;
    const worth = KIND_WORTH[kinds.get(path) ?? "source"];
    const holders = holdersOf(outlines.get(path) ?? []);
    return file.hunks.map((hunk): Candidate => {
      const lines = touchedLines({ ...file, hunks: [hunk] });
      const [first = hunk.newStart, last = first] = [lines[0], lines.at(-1)];
      const around = outermost(holders, first, last);
      const { startLine = 1, endLine = Number.POSITIVE_INFINITY } = around ?? {};
      const within = (margin: number) => ({
        first: Math.max(startLine, first - margin),
        last: Math.min(endLine, last + margin),
      });
      const own = { kind: "enclosing", path, why: "around the change" } as const;
      if (around === null) return { ...own, short: [within(NEAR)], full: [within(AROUND)], worth: worth - 5 };
      const head = beginning(around, HEAD_LINES);
      const full = endLine - startLine < WHOLE_LINES ? [beginning(around)] : [head, within(AROUND)];
      return { ...own, short: [head, within(NEAR)], full, worth: worth + Math.min(9, lines.length / 5) };
    });
  });
}

/** The first lines of a definition; all without a number. */
function beginning({ startLine, endLine }: Definition, lines = Number.POSITIVE_INFINITY): Range {
  return { first: startLine, last: Math.min(endLine, startLine + lines - 1) };
}

const HOLDERS = new Set(["class", "interface", "struct", "enum", "trait", "module", "type", "section"]);

/** The function that holds both lines, the outermost of those that are not long; else the innermost definition. */
function outermost(holders: Holders, first: number, last: number): Definition | null {
  const around = holders.around(first);
  const holding = around
    .filter(({ endLine }) => endLine >= last)
    .sort((a, b) => b.endLine - b.startLine - (a.endLine - a.startLine));
  const functions = holding.filter(({ kind }) => !HOLDERS.has(kind));
  const short = functions.find(({ startLine, endLine }) => endLine - startLine < WHOLE_LINES);
  return short ?? functions.at(-1) ?? around[0] ?? null;
}

/** A longer file is not shown whole, however large the budget is. */
const FILE_LINES = 500;

/** What is left of small changed files, where nothing better needs it. */
function wholeFiles(
  files: readonly FileDiff[],
  texts: ReadonlyMap<string, readonly string[]>,
  kinds: ReadonlyMap<string, FileKind>,
): readonly Candidate[] {
  return files.flatMap(({ path }): Candidate[] => {
    const last = texts.get(path)?.length ?? 0;
    if (last === 0 || last > FILE_LINES) return [];
    const all = [{ first: 1, last }];
    const worth = KIND_WORTH[kinds.get(path) ?? "source"] / 20;
    return [{ kind: "enclosing", path, why: "the rest of the file", short: all, full: all, worth }];
  });
}

/** What changed lines name, where the repository defines it. */
function defined(
  { used, changed }: ChangeNames,
  symbols: ReadonlyMap<string, NamedSymbol>,
  words: Words,
): readonly Candidate[] {
  const own = new Set(changed.filter(({ what }) => what === "behaviour").map(({ name, path }) => `${path} ${name}`));
  const heaviest = used[0]?.weight ?? 1;
  return used.flatMap((name): Candidate[] => {
    const definitions = (symbols.get(name.name)?.definitions ?? []).filter(
      ({ path }) => !own.has(`${path} ${name.name}`),
    );
    return likely(definitions, name, words).map((definition, rank) => {
      const { path } = definition;
      const penalty = rank * 15 + (isTestPath(path) ? 25 : 0) + (definitions.length > 3 ? 10 : 0);
      const worth = 40 + 40 * Math.sqrt(name.weight / heaviest) - penalty;
      const short = [beginning(definition, DEFINITION_LINES.short)];
      const full = [beginning(definition, DEFINITION_LINES.full)];
      return { kind: "definition", path, why: `defines ${name.name}`, short, full, worth };
    });
  });
}

/** Beyond so many that nothing tells apart, none is shown. */
const AMBIGUOUS = 4;

/** For each word the changed files that contain it at the head. */
type Words = ReadonlyMap<string, ReadonlySet<string>>;

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

function filesByWord(texts: ReadonlyMap<string, readonly string[]>): Words {
  const files = new Map<string, Set<string>>();
  for (const [path, lines] of texts) {
    for (const word of new Set(lines.join("\n").match(WORD))) {
      const known = files.get(word) ?? new Set();
      files.set(word, known.add(path));
    }
  }
  return files;
}

/** Of several definitions of a name those that its use most likely means, at most two. */
function likely(
  definitions: readonly Definition[],
  { qualifiers, paths }: UsedName,
  words: Words,
): readonly Definition[] {
  const folders = new Set([...paths].map(folderOf));
  const qualified = new Set([...qualifiers].map((one) => one.toLowerCase()));
  const score = (path: string) => {
    const lower = path.toLowerCase();
    const isQualified = qualified.has(stemOf(lower)) || qualified.has(lower.split("/").at(-2) ?? "");
    return (
      (isQualified ? 4 : 0) +
      (paths.has(path) ? 3 : 0) +
      (isNamedIn(path, paths, words) ? 3 : 0) +
      (folders.has(folderOf(path)) ? 2 : 0) -
      (isTestPath(path) ? 3 : 0)
    );
  };
  const scores = new Map([...new Set(definitions.map(({ path }) => path))].map((path) => [path, score(path)]));
  const best = Math.max(...scores.values());
  const alike = definitions.filter(({ path }) => scores.get(path) === best);
  return alike.length > AMBIGUOUS ? [] : alike.slice(0, 2);
}

/** `src/mods/ModSuddenDeath.cs` is named where `ModSuddenDeath` is a word. */
function isNamedIn(path: string, paths: ReadonlySet<string>, words: Words): boolean {
  const stem = stemOf(path);
  const files = stem.length > 3 ? words.get(stem) : undefined;
  if (files === undefined) return false;
  const [fewer, more] = files.size < paths.size ? [files, paths] : [paths, files];
  for (const one of fewer) if (more.has(one)) return true;
  return false;
}

/** The same method of other types: what a change of one may have to be done to as well, or what it overrides. */
function siblings(
  changed: readonly ChangedName[],
  symbols: ReadonlyMap<string, NamedSymbol>,
  words: Words,
): readonly Candidate[] {
  return changed.flatMap(({ name, path: own, what }): Candidate[] => {
    const others = (symbols.get(name)?.definitions ?? []).filter(
      ({ path, kind }) =>
        path !== own &&
        !isTestPath(path) &&
        (kind === "method" || kind === "function") &&
        endingOf(path) === endingOf(own),
    );
    const inOwn = new Set([own]);
    const groups = Map.groupBy(others, ({ path }) => isNamedIn(path, inOwn, words));
    const ordered = [...(groups.get(true) ?? []), ...(groups.get(false) ?? [])];
    return ordered.slice(0, 3).map((other, rank) => {
      const { path } = other;
      const likely = (what === "value" ? 30 : 45) + (isNamedIn(path, inOwn, words) ? 25 : 0);
      const worth = likely - 8 * rank - Math.min(10, others.length);
      const [short, full] = [[beginning(other, 10)], [beginning(other, 40)]];
      return { kind: "sibling", path, why: `another ${name}`, short, full, worth };
    });
  });
}

function endingOf(path: string): string {
  return /\.\w+$/.exec(path)?.[0] ?? "";
}

/** The name of a file without its ending. */
function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.\w+$/, "");
}

const PATH_LIKE = /(?<![\w@.-])[\w@.-]{1,100}(?:\/[\w@.-]{1,100}){0,20}\.[A-Za-z]\w{0,7}/g;
/** Folders and name that PATH_LIKE takes. */
const MOST_PARTS = 21;
const MOST_MENTIONED = 5;

/** Files that the description names and the diff does not have. */
function mentioned({ pull, files }: PullRequestContext, head: Snapshot): readonly Candidate[] {
  const changed = new Set(files.map(({ path }) => path));
  const text = `${pull.title}\n${pull.body ?? ""}`.slice(0, 20_000);
  const words = new Set((text.match(PATH_LIKE) ?? []).map((word) => word.replace(/^\.?\//, "")));
  const named = pathsByEnd(head.files.keys(), words);
  const found = [...words].flatMap((word) => {
    const alike = named.get(word) ?? [];
    return alike.length === 1 ? alike.filter((path) => !changed.has(path)) : [];
  });
  const [short, full] = [[{ first: 1, last: 20 }], [{ first: 1, last: 80 }]];
  const own = { kind: "mentioned", why: "named in the description", short, full, worth: 38 } as const;
  return [...new Set(found)].slice(0, MOST_MENTIONED).map((path) => ({ ...own, path }));
}

/** By each of some ends, `cart.ts` or `src/cart.ts`, the first two paths that have it. */
function pathsByEnd(paths: Iterable<string>, ends: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const names = new Set([...ends].map(nameOf));
  const found = new Map<string, string[]>();
  for (const path of paths) {
    if (!names.has(nameOf(path))) continue;
    for (let at = path.length, parts = 0; at >= 0 && parts < MOST_PARTS; parts++) {
      at = path.lastIndexOf("/", at - 1);
      const end = path.slice(at + 1);
      if (!ends.has(end)) continue;
      const known = found.get(end) ?? [];
      found.set(end, known);
      if (known.length < 2) known.push(path);
    }
  }
  return found;
}

interface NamedCalls extends CallSites {
  readonly worth: number;
}

/** Other definitions of a name beyond which its uses tell nothing. */
const MOST_DEFINED = 3;
const WHAT_WORTH: Readonly<Record<ChangedName["what"], number>> = {
  signature: 90,
  removed: 95,
  behaviour: 70,
  value: 40,
};

function callSites(
  changed: readonly ChangedName[],
  symbols: ReadonlyMap<string, NamedSymbol>,
  inDiff: ReadonlyMap<string, ReadonlySet<number>>,
  near: readonly string[],
): readonly NamedCalls[] {
  const folders = new Set(near.map(folderOf));
  return changed.flatMap(({ name, path, what }): NamedCalls[] => {
    const symbol = symbols.get(name);
    if (symbol === undefined) return [];
    const outside = symbol.references.filter((one) => inDiff.get(one.path)?.has(one.line) !== true);
    const isCommon = symbol.definitions.length > MOST_DEFINED;
    const own = isCommon ? outside.filter((one) => isOf(one, path, folders)) : outside;
    const order = (one: Reference) => (IMPORT.test(one.text) ? 2 : 0) + (folders.has(folderOf(one.path)) ? 0 : 1);
    const sorted = [...own].sort((a, b) => order(a) - order(b));
    const worth = WHAT_WORTH[what] - (isCommon ? 20 : 0);
    const groups = Map.groupBy(sorted, ({ path }) => (isTestPath(path) ? "test" : "caller"));
    return [...groups].map(([kind, sites]) => {
      const [most, unread] = kind === "test" ? [MOST_TESTS, 0] : [MOST_SITES, symbol.unread];
      const more = Math.max(0, sites.length - most + unread);
      return { name, kind, sites: sites.slice(0, most), more, worth: kind === "test" ? worth - 45 : worth };
    });
  });
}

const IMPORT = /^\s*(?:import|from|use|using|require|export .* from|#\s*include)\b/;

/** Whether a use of a common name is likely of the one that this file defines. */
function isOf({ path, text }: Reference, own: string, folders: ReadonlySet<string>): boolean {
  return (
    path === own || text.includes(stemOf(own)) || (folders.has(folderOf(path)) && folderOf(path) === folderOf(own))
  );
}

/** Of the budget for all. */
const CALLS_PART = 0.3;

function fitted(
  calls: readonly NamedCalls[],
  budget: number,
): { readonly shown: readonly CallSites[]; readonly used: number; readonly cut: ChangeContext["cut"] } {
  const shown: CallSites[] = [];
  const left: CallSites[] = [];
  let used = 0;
  for (const { worth: _, ...call } of [...calls].sort((a, b) => b.worth - a.worth)) {
    const { name, sites } = call;
    const cost = 40 + name.length + sites.reduce((sum, { path, text }) => sum + path.length + text.length + 9, 0);
    const fits = used + cost <= budget;
    (fits ? shown : left).push(call);
    if (fits) used += cost;
  }
  return { shown, used, cut: countByKind(left) };
}

async function maskedExcerpt(excerpt: Excerpt, lines: MaskedLines): Promise<Excerpt> {
  const masked = await lines(excerpt.path);
  return { ...excerpt, lines: excerpt.lines.map(({ line }) => ({ line, text: shownLine(masked?.[line - 1] ?? "") })) };
}

async function maskedSites(call: CallSites, lines: MaskedLines): Promise<CallSites> {
  const sites = call.sites.map(async (site) => {
    const masked = (await lines(site.path))?.[site.line - 1]?.trim() ?? "";
    return { ...site, text: cutText(masked, site.text.length) };
  });
  return { ...call, sites: await Promise.all(sites) };
}
