// What a change takes away or makes different, and who uses it elsewhere as before.

import { codeOnly } from "../../../domain/code/code-only.ts";
import { folderOf } from "../../../domain/code/paths.ts";
import type { Call, FileLinks, Takes } from "../../../domain/code/symbols.ts";
import { firstNotBefore } from "../../../domain/first-not-before.ts";
import type { Snapshot } from "../../../ports/snapshot.ts";
import { addedNumbers, linesOfKind } from "../known-lines.ts";
import type { Change, ChangedFile, RepositoryRule, Sighting } from "../rule.ts";
import { leadsTo, type Place, places } from "./places.ts";

interface ChangedSignature {
  readonly file: ChangedFile;
  readonly name: string;
  readonly line: number;
  readonly before: Takes;
  readonly after: Takes;
}

/** Functions of one change that are looked for in the repository. */
const MOST_FUNCTIONS = 30;

async function lookForCalls(change: Change): Promise<readonly Sighting[]> {
  const all = (await Promise.all(change.files.map(signaturesOf))).flat();
  const changed = all.slice(0, MOST_FUNCTIONS);
  if (all.length > MOST_FUNCTIONS)
    change.leave(`calls of ${MOST_FUNCTIONS} of the ${all.length} functions with another signature were looked for`);
  const head = changed.length === 0 ? null : await change.head();
  if (head === null) return [];
  const names = new Set(changed.map(({ name }) => name));
  const { symbols } = await change.symbols.find(head, { used: new Set(), changed: names, near: [] });
  const sightings: Sighting[] = [];
  for (const one of changed) {
    const symbol = symbols.get(one.name);
    // A call of a name that is defined twice may mean either.
    if (symbol?.definitions.length !== 1) continue;
    const paths = [...new Set(symbol.references.map(({ path }) => path))];
    const left = (await Promise.all(paths.map((path) => callsLeft(change, head, path, one)))).flat();
    if (left.length > 0)
      sightings.push({ ...one, side: "RIGHT", detail: one.name, note: calledAsBefore(left, one.after) });
  }
  return sightings;
}

/** Functions that both sides have once, by name, and that take something else now. */
async function signaturesOf(file: ChangedFile): Promise<readonly ChangedSignature[]> {
  const base = await file.links("base");
  const head = base && (await file.links("head"));
  if (base === null || head === null) return [];
  const shown = new Set(file.diff.hunks.flatMap(({ lines }) => lines.flatMap(({ newLine }) => newLine ?? [])));
  const added = [...addedNumbers(file.diff)];
  const before = onceEach(base);
  return [...onceEach(head)].flatMap(([name, { line, takes: after }]): ChangedSignature[] => {
    const old = before.get(name)?.takes ?? null;
    if (old === null || after === null || JSON.stringify(old) === JSON.stringify(after)) return [];
    const at = shown.has(line) ? line : added[firstNotBefore(added, (one) => one, line + 1)];
    return at === undefined ? [] : [{ file, name, line: at, before: old, after }];
  });
}

function onceEach({ functions }: FileLinks): ReadonlyMap<string, FileLinks["functions"][number]> {
  const count = new Map<string, number>();
  for (const { name } of functions) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(functions.filter(({ name }) => count.get(name) === 1).map((one) => [one.name, one]));
}

async function callsLeft(
  change: Change,
  head: Snapshot,
  path: string,
  { file, name, before, after }: ChangedSignature,
): Promise<readonly (Call & Place)[]> {
  const text = await head.text(path);
  const links = text === null ? null : await change.symbols.links(path, text, new Set([name]));
  const diff = change.files.find((file) => file.diff.path === path)?.diff;
  const added = diff === undefined ? new Set() : addedNumbers(diff);
  return (links?.calls ?? [])
    .filter((call) => !added.has(call.line) && isOf(call, path, file.diff.path, links?.imports ?? []))
    .filter(({ args }) => args !== null && takesThem(before, args) && !stillTakesThem(before, after, args))
    .map((call) => ({ ...call, path }));
}

/** Whether a call can only mean the function of that file. */
function isOf({ name, of }: Call, path: string, defined: string, imports: FileLinks["imports"]): boolean {
  if (path === defined) return of === null || /^(?:this|self|\$this)$/.test(of);
  const leading = imports.filter((one) => leadsTo(path, one, defined));
  const isImported = leading.some((one) => (of === null ? one.name === name && one.local === name : one.local === of));
  // Packages of Go are folders, and classes of Java are files.
  const isBeside =
    of === null && path.endsWith(".go") && defined.endsWith(".go") && folderOf(path) === folderOf(defined);
  return isImported || isBeside || (defined.endsWith(".java") && defined.endsWith(`/${of}.java`));
}

function takesThem({ least, most }: Takes, args: readonly string[]): boolean {
  return args.length >= least && (most === null || args.length <= most);
}

function stillTakesThem(before: Takes, after: Takes, args: readonly string[]): boolean {
  if (!takesThem(after, args)) return false;
  return args.every((arg, at) => {
    const [, keyword] = /^(\w+)\s*=(?!=)/.exec(arg) ?? [];
    if (keyword !== undefined)
      return after.most === null || !before.names.includes(keyword) || after.names.includes(keyword);
    // An argument that is called like its old parameter shows that the order is the old one.
    const own = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]{0,99})$/u.exec(arg)?.[1]?.toLowerCase();
    const old = before.names[at];
    const isNamed = old !== undefined && own === old.toLowerCase();
    return !isNamed || !after.names.includes(old) || after.names[at] === old;
  });
}

function calledAsBefore(left: readonly (Call & Place)[], { least, most }: Takes): string {
  const takes = most === least ? `${least}` : most === null ? `at least ${least}` : `${least} to ${most}`;
  const counts = [...new Set(left.map(({ args }) => args?.length ?? 0))].sort((a, b) => a - b);
  const many = counts.length === 1 && counts[0] === 1 ? "argument" : "arguments";
  return `Called as before in ${places(left)}: with ${counts.join(" or ")} ${many}, where it takes ${takes}.`;
}

export const callersNotChanged: RepositoryRule = {
  id: "callers-not-changed",
  title: "Callers still pass what it took before",
  severity: "major",
  category: "correctness",
  confidence: 0.9,
  why: "The signature changed and calls elsewhere did not: they fail, or their arguments end up in other parameters.",
  fix: "Change these calls as well, or give the new parameter a default at the end.",
  languages: ["typescript", "javascript", "python", "go", "java", "ruby", "rust", "php"],
  look: lookForCalls,
};

// A name or a file that a change takes away, and the imports of it that are left.

/** Limits of names that are looked for, and of files looked into for one name and for all. */
const MOST = { names: 200, filesOfName: 60, files: 500 };

async function lookForImports(change: Change): Promise<readonly Sighting[]> {
  const removed: Removed[] = [];
  for (const file of change.files) {
    const { names, isWhole } = await removedFrom(file);
    if (names.length > 0) for (const name of isWhole ? [null] : names) removed.push({ file, name });
  }
  const sought = removed.slice(0, MOST.names);
  if (removed.length > MOST.names)
    change.leave(`imports of ${MOST.names} of the ${removed.length} names that were taken away were looked for`);
  const head = sought.length === 0 ? null : await change.head();
  if (head === null) return [];
  const having = await change.symbols.having(head, new Set(sought.map(wordOf)));
  const importsIn = importReader(change, head);
  const byStem = Map.groupBy(head.files.keys(), stemOf);
  const sightings: Sighting[] = [];
  for (const { file, name } of sought) {
    const paths = (having.get(wordOf({ file, name })) ?? []).filter((path) => path !== file.diff.path);
    const left: Place[] = [];
    for (const path of paths.slice(0, MOST.filesOfName)) {
      const one = (await importsIn(path)).find((each) => isLeft(each, path, { file, name }, head, byStem));
      if (one !== undefined) left.push({ path, line: one.line });
    }
    if (left.length === 0) continue;
    const detail = name ?? file.basePath.split("/").at(-1) ?? "";
    sightings.push({ file, ...lineOf(file, name), detail, note: `Imported in ${places(left)}.` });
  }
  return sightings;
}

interface Removed {
  readonly file: ChangedFile;
  /** Null: the file itself. */
  readonly name: string | null;
}

/** `src/users/index.ts` and `src/users.ts` are imported as `users`. */
function stemOf(path: string): string {
  return moduleOf(path).split("/").at(-1) ?? "";
}

function moduleOf(path: string): string {
  return path.replace(/(?:\/(?:index|__init__))?\.\w+$/, "");
}

/** What a file has to contain if it imports the name. */
function wordOf({ file, name }: Removed): string {
  return name === null || name === "default"
    ? (moduleOf(file.basePath)
        .match(/[\w$]+/g)
        ?.at(-1) ?? "")
    : name;
}

/** The imports of a file at the head, read once; none where too many files were read before. */
function importReader(change: Change, head: Snapshot): (path: string) => Promise<FileLinks["imports"]> {
  const known = new Map<string, FileLinks["imports"]>();
  return async (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size === MOST.files) change.leave(`imports were looked for in ${MOST.files} files and no further`);
    const text = known.size < MOST.files ? await head.text(path) : null;
    const imports = text === null ? [] : ((await change.symbols.links(path, text, new Set()))?.imports ?? []);
    known.set(path, imports);
    return imports;
  };
}

/** Whether an import means the name that was taken away, and nothing else that is there. */
function isLeft(
  one: FileLinks["imports"][number],
  path: string,
  { file, name }: Removed,
  head: Snapshot,
  byStem: ReadonlyMap<string, readonly string[]>,
): boolean {
  const { basePath } = file;
  if ((name !== null && one.name !== name) || !leadsTo(path, one, basePath)) return false;
  // The import may mean another file: of another ending, or a module in such a folder.
  const others = (byStem.get(stemOf(basePath)) ?? []).filter((other) => leadsTo(path, one, other));
  const isModule = ["", "/__init__"].some((rest) => head.files.has(`${moduleOf(basePath)}/${one.name}${rest}.py`));
  return others.every((other) => name !== null && other === file.diff.path) && !isModule;
}

/** What others can no longer import; `isWhole` where the file itself is gone. */
async function removedFrom(file: ChangedFile): Promise<{ names: readonly string[]; isWhole: boolean }> {
  const { diff, basePath, headText } = file;
  const exported = (await file.links("base"))?.exports ?? [];
  if (diff.status === "removed" || basePath !== diff.path) return { names: exported, isWhole: true };
  const now = (await file.links("head"))?.exports ?? null;
  if (now === null || headText === null) return { names: [], isWhole: false };
  // In Python a module can get a name in many ways.
  const words = diff.path.endsWith(".py") ? codeOnly(diff.path, headText).match(/(?<![.\w])\w+/g) : now;
  const there = new Set<string>(words);
  return { names: exported.filter((name) => !there.has(name)), isWhole: false };
}

function lineOf({ diff }: ChangedFile, name: string | null): Pick<Sighting, "side" | "line"> {
  const removed = linesOfKind(diff, "removed");
  const isNamed = (text: string) => name !== null && text.includes(name) && wordsOf(text).has(name);
  const line =
    removed.find(({ text }) => isNamed(text) && /\b(?:export|def|class)\b/.test(text)) ??
    removed.find(({ text }) => isNamed(text)) ??
    (name === null || name === "default" ? removed[0] : undefined);
  return { side: "LEFT", line: line?.oldLine ?? null };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set<string>(text.match(/[\p{L}\p{N}_$]+/gu));
}

export const importOfRemovedExport: RepositoryRule = {
  id: "import-of-removed-export",
  title: "What the change removes or renames is still imported",
  severity: "major",
  category: "correctness",
  confidence: 0.95,
  why: "Modules that import it fail to load.",
  fix: "Change these imports as well, or keep exporting the old name.",
  languages: ["typescript", "javascript", "python"],
  look: lookForImports,
};
