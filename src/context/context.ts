// What a reviewer has to see besides the diff: the functions around the hunks, what changed lines
// call, who else calls what changed. From the repository at the head; without it from the changed
// files alone.
import { createHash } from "node:crypto";
import {
  type CallSites,
  type ChangeContext,
  type Excerpt,
  type MaskedLines,
  maskedLines,
  noContext,
} from "../domain/change-context.ts";
import { folderOf, isTestPath } from "../domain/code/paths.ts";
import type { Definition, NamedSymbol, Reference } from "../domain/code/symbols.ts";
import { type AllowedModel, CHARS_PER_TOKEN } from "../domain/model.ts";
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { Snapshot, SnapshotFile, Snapshots } from "../ports/snapshot.ts";
import type { Symbols } from "../ports/symbols.ts";
import {
  baseNames,
  bodiesOf,
  callers,
  defined,
  enclosing,
  enclosingTypes,
  filesByWord,
  handedOn,
  implemented,
  imports,
  likelyCallers,
  mentioned,
  shortCalled,
  siblings,
  stemOf,
  unitsOf,
  withComment,
} from "./candidates.ts";
import { importedPackages, manifestsOf, tellingLines } from "./manifests.ts";
import { type ChangedName, changeNames, IMPORT, NO_CODE } from "./names.ts";
import { type Candidate, shareBudget, shownLine } from "./share-budget.ts";

interface ContextPorts {
  /** Null: the change has no repository behind it. */
  readonly snapshots: Snapshots | null;
  /** Null: names are not looked for. */
  readonly symbols: Symbols | null;
  readonly mask: AllowedModel["model"]["mask"];
}

/** Call sites shown of one name. */
const MOST_SITES = 8;
/** Added files whose types may extend others: the diff shows the rest of them. */
const MOST_NEW = 50;
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
  const { snapshots, symbols, mask } = ports ?? { symbols: null };
  if (budget === 0 || symbols === null) return noContext();
  const read = (await snapshots?.at(context.repo, context.pull)) ?? { snapshot: null, degraded: [] };
  const head = withHeadTexts(read.snapshot, context);
  const kinds = new Map(signals.files.map(({ path, kind }) => [path, kind]));
  const files = context.files.filter(({ path, binary }) => !binary && head.files.has(path));
  const paths = files.map(({ path }) => path);
  const isNew = new Set(files.flatMap(({ path, status }) => (status === "added" ? [path] : [])));
  const [fresh, old] = [paths.filter((path) => isNew.has(path)), paths.filter((path) => !isNew.has(path))];
  const outlines = new Map(await outlinesOf([...old, ...fresh.slice(0, MOST_NEW)], symbols, head));
  const units = files.flatMap((file) => unitsOf(file, outlines.get(file.path) ?? [], kinds.get(file.path) ?? "source"));
  const changedTexts = await linesOf(head, paths);
  const { used, changed } = changeNames(context.files, outlines, kinds, bodiesOf(units, changedTexts));
  const words = filesByWord(changedTexts);
  const bases = baseNames(units, changedTexts);
  const near = context.files.map(({ path }) => path);
  const found = await symbols.find(head, {
    used: new Set([...used.map(({ name }) => name), ...bases]),
    changed: new Set(changed.map(({ name }) => name)),
    near,
  });
  const inDiff = shownByDiff(context.files);
  const calls = callSites(changed, found.symbols, inDiff, near);
  const sites = likelyCallers(calls);
  const functions = defined(used, changed, found.symbols, words);
  const short = shortCalled(functions);
  const unread = [...sites, ...short].map(({ path }) => path).filter((path) => !outlines.has(path));
  for (const [path, outline] of await outlinesOf(unread, symbols, head)) outlines.set(path, outline);
  const edited = units.filter(({ path }) => !isNew.has(path));
  const candidates: Candidate[] = [
    ...enclosing(edited),
    ...enclosingTypes(edited, outlines),
    ...imports(edited, used, changedTexts),
    ...functions,
    ...handedOn(
      short,
      outlines,
      await linesOf(
        head,
        short.map(({ path }) => path),
      ),
    ),
    ...callers(sites, outlines),
    ...implemented(bases, changed, found.symbols, words),
    ...siblings(changed, found.symbols, words),
    ...(read.snapshot === null ? [] : mentioned(context, head.files.keys())),
  ];
  const packages = importedPackages(context.files, changedTexts);
  const manifests = read.snapshot === null ? [] : manifestsOf(context.files, head.files.keys());
  const texts = await linesOf(head, [...candidates.map(({ path }) => path), ...manifests]);
  for (const path of manifests) {
    const lines = tellingLines(path, texts.get(path) ?? [], packages);
    const ranges = lines.map((line) => ({ first: line, last: line }));
    if (ranges.length > 0)
      candidates.push({
        kind: "package",
        path,
        of: path,
        why: "declared versions",
        short: ranges,
        full: ranges,
        worth: 0,
      });
  }
  const commented = candidates.map((candidate) => withComment(candidate, texts));
  const shared = shareBudget(commented, texts, inDiff, budget * (1 - CALLS_PART));
  const called = fitted(unshown(calls, shared.excerpts), Math.min(budget - shared.used, budget * CALLS_PART));
  const lines = maskedLines(head, mask);
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

/** The snapshot, with changed files as gather read them: some are too large for a snapshot. */
function withHeadTexts(snapshot: Snapshot | null, { headTexts, pull }: PullRequestContext): Snapshot {
  const files = new Map<string, SnapshotFile>(snapshot?.files ?? []);
  for (const [path, text] of headTexts) {
    const blob = createHash("sha256").update(text).digest("hex");
    if (!files.has(path)) files.set(path, { path, blob, bytes: text.length });
  }
  return {
    sha: pull.head.sha,
    files,
    text: async (path) => headTexts.get(path) ?? (await snapshot?.text(path)) ?? null,
  };
}

async function outlinesOf(
  paths: Iterable<string>,
  symbols: Symbols,
  head: Snapshot,
): Promise<readonly (readonly [string, readonly Definition[]])[]> {
  const outlines: (readonly [string, readonly Definition[]])[] = [];
  for (const path of new Set(paths)) outlines.push([path, await symbols.outline(path, (await head.text(path)) ?? "")]);
  return outlines;
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

interface NamedCalls extends CallSites, ChangedName {
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
    // A file with its own definition of the name uses that one.
    const others = new Set(
      symbol.definitions.flatMap((definition) => (definition.path === path ? [] : [definition.path])),
    );
    const outside = symbol.references.filter(
      (reference) =>
        inDiff.get(reference.path)?.has(reference.line) !== true &&
        !others.has(reference.path) &&
        !NO_CODE.test(reference.path) &&
        !isTestPath(reference.path),
    );
    const used = new Set(outside.flatMap(({ path, text }) => (IMPORT.test(text) ? [] : [path])));
    const calling = outside.filter(({ path, text }) => !used.has(path) || !IMPORT.test(text));
    const isCommon = symbol.definitions.length > MOST_DEFINED;
    const own = isCommon ? calling.filter((reference) => isOf(reference, path, folders)) : calling;
    const order = (reference: Reference) =>
      (IMPORT.test(reference.text) ? 2 : 0) + (folders.has(folderOf(reference.path)) ? 0 : 1);
    const sorted = [...own].sort((a, b) => order(a) - order(b));
    if (sorted.length === 0) return [];
    const more = Math.max(0, sorted.length - MOST_SITES + symbol.unread);
    const worth = WHAT_WORTH[what] - (isCommon ? 20 : 0);
    return [{ name, path, what, sites: sorted.slice(0, MOST_SITES), more, worth }];
  });
}

/** Whether a use of a common name is likely of the one that this file defines. */
function isOf({ path, text }: Reference, own: string, folders: ReadonlySet<string>): boolean {
  return (
    path === own || text.includes(stemOf(own)) || (folders.has(folderOf(path)) && folderOf(path) === folderOf(own))
  );
}

/** Of the budget for all, for lines that use what changed. */
const CALLS_PART = 0.12;

/** Without the sites that an excerpt shows. */
function unshown(calls: readonly NamedCalls[], excerpts: readonly Excerpt[]): readonly NamedCalls[] {
  const shown = new Set(excerpts.flatMap(({ path, lines }) => lines.map(({ line }) => `${path}:${line}`)));
  return calls
    .map((call) => ({ ...call, sites: call.sites.filter(({ path, line }) => !shown.has(`${path}:${line}`)) }))
    .filter(({ sites }) => sites.length > 0);
}

function fitted(
  calls: readonly NamedCalls[],
  budget: number,
): { readonly shown: readonly CallSites[]; readonly used: number; readonly cut: ChangeContext["cut"] } {
  const shown: CallSites[] = [];
  let left = 0;
  let used = 0;
  for (const { name, sites, more } of [...calls].sort((a, b) => b.worth - a.worth)) {
    const cost = 40 + name.length + sites.reduce((sum, { path, text }) => sum + path.length + text.length + 9, 0);
    if (used + cost > budget) left++;
    else {
      used += cost;
      shown.push({ name, sites, more });
    }
  }
  return { shown, used, cut: left === 0 ? [] : [{ kind: "caller", count: left }] };
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
