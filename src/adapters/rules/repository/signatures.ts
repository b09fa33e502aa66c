// A function that takes something else now, and the calls elsewhere that were left as they were.
import { folderOf } from "../../../domain/code/paths.ts";
import type { Call, FileLinks, Takes } from "../../../domain/code/symbols.ts";
import { addedNumbers } from "../known-lines.ts";
import type { Change, ChangedFile, Head, RepositoryRule, Sighting } from "../rule.ts";
import { leadsTo, places } from "./places.ts";

interface ChangedSignature {
  readonly file: ChangedFile;
  readonly name: string;
  readonly line: number;
  readonly before: Takes;
  readonly after: Takes;
}

/** Functions of one change that are looked for in the repository. */
const MOST = 30;

async function look(change: Change): Promise<readonly Sighting[]> {
  const changed = (await Promise.all(change.files.map(signaturesOf))).flat().slice(0, MOST);
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
    if (left.length > 0) sightings.push({ ...one, side: "RIGHT", detail: one.name, said: said(left, one.after) });
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
    const at = shown.has(line) ? line : added.find((one) => one > line);
    return at === undefined ? [] : [{ file, name, line: at, before: old, after }];
  });
}

function onceEach({ functions }: FileLinks): ReadonlyMap<string, FileLinks["functions"][number]> {
  const count = new Map<string, number>();
  for (const { name } of functions) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(functions.filter(({ name }) => count.get(name) === 1).map((one) => [one.name, one]));
}

interface CallLeft extends Call {
  readonly path: string;
}

async function callsLeft(
  change: Change,
  head: Head,
  path: string,
  { file, name, before, after }: ChangedSignature,
): Promise<readonly CallLeft[]> {
  const text = await head.text(path);
  const links = text === null ? null : await change.symbols.links(path, text, new Set([name]));
  const diff = change.files.find((one) => one.diff.path === path)?.diff;
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
    const own = /([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(arg)?.[1]?.toLowerCase();
    const old = before.names[at];
    const isNamed = old !== undefined && own === old.toLowerCase();
    return !isNamed || !after.names.includes(old) || after.names[at] === old;
  });
}

function said(left: readonly CallLeft[], { least, most }: Takes): string {
  const takes = most === least ? `${least}` : most === null ? `at least ${least}` : `${least} to ${most}`;
  const counts = [...new Set(left.map(({ args }) => args?.length ?? 0))].sort().join(" or ");
  return `Called as before in ${places(left)}: with ${counts} arguments, where it takes ${takes}.`;
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
  look,
  bad: {
    path: "src/users.ts",
    before: "export function rename(db: Database, name: string) {\n  return db.write(name);\n}\n",
    code: "export function rename(db: Database, id: number, name: string) {\n  return db.write(id, name);\n}\n",
    beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(db, "Ada");\n' },
  },
  good: {
    path: "src/users.ts",
    before: "export function rename(db: Database, name: string) {\n  return db.write(name);\n}\n",
    code: "export function rename(db: Database, name: string, id = 0) {\n  return db.write(id, name);\n}\n",
    beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(db, "Ada");\n' },
  },
};
