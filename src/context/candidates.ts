// What may be shown of the repository, by what it is to the change: what encloses it, what it
// calls, who calls it, what it implements. Words alone choose nothing.
import { folderOf, isTestPath, nameOf } from "../domain/code/paths.ts";
import type { Definition, NamedSymbol, Reference } from "../domain/code/symbols.ts";
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { FileKind } from "../domain/signals.ts";
import {
  type ChangedName,
  type Holders,
  holdersOf,
  IMPORT,
  NO_CODE,
  TYPE,
  touchedLines,
  type UsedName,
} from "./names.ts";
import type { Candidate, Range } from "./share-budget.ts";

type Symbols = ReadonlyMap<string, NamedSymbol>;
type Texts = ReadonlyMap<string, readonly string[]>;

/** A changed function, or the type or hunk where a line is in none. */
export interface Unit {
  readonly path: string;
  readonly kind: FileKind;
  readonly own: Definition | null;
  readonly type: Definition | null;
  /** Touched lines of the head, ascending. */
  readonly lines: readonly number[];
}

/** A longer function is shown by its head and what is around the change. */
const WHOLE_LINES = 200;
const SHORT_LINES = 30;
const HEAD_LINES = 6;
const NEAR = { short: 10, full: 40 };
const WORTH: Readonly<Record<FileKind, number>> = { source: 100, infra: 90, config: 80, test: 35, docs: 20 };
const HOLDERS = new Set(["class", "interface", "struct", "enum", "trait", "module", "type", "section"]);
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** @param outline the definitions of the file at the head */
export function unitsOf(file: FileDiff, outline: readonly Definition[], kind: FileKind): readonly Unit[] {
  const holders = holdersOf(outline);
  const units = new Map<unknown, { own: Definition | null; type: Definition | null; lines: number[] }>();
  for (const hunk of file.hunks) {
    for (const line of new Set(touchedLines({ ...file, hunks: [hunk] }))) {
      const { own, type } = placeOf(holders, line);
      const known = units.get(own ?? hunk) ?? { own, type, lines: [] };
      units.set(own ?? hunk, known);
      known.lines.push(line);
    }
  }
  return [...units.values()].map((unit) => ({ path: file.path, kind, ...unit }));
}

/** The outermost short function around a line, else the innermost one, else the innermost type. */
function placeOf(holders: Holders, line: number): Pick<Unit, "own" | "type"> {
  const around = holders.around(line);
  const functions = around.filter(({ kind }) => !HOLDERS.has(kind));
  const type = around.find(({ kind }) => HOLDERS.has(kind)) ?? null;
  return { own: functions.findLast((definition) => lengthOf(definition) <= WHOLE_LINES) ?? functions[0] ?? type, type };
}

function lengthOf({ startLine, endLine }: Definition): number {
  return endLine - startLine + 1;
}

/** The first lines of a definition; all without a number. */
function beginning({ startLine, endLine }: Definition, lines = Number.POSITIVE_INFINITY): Range {
  return { first: startLine, last: Math.min(endLine, startLine + lines - 1) };
}

/** Lines with so many on either side, within a definition if there is one. */
function near(lines: readonly number[], margin: number, within: Definition | null): readonly Range[] {
  const { startLine = 1, endLine = Number.POSITIVE_INFINITY } = within ?? {};
  const ranges: Range[] = [];
  for (const line of lines) {
    const [first, last] = [Math.max(startLine, line - margin), Math.min(endLine, line + margin)];
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last + 1)
      ranges[ranges.length - 1] = { first: before.first, last: Math.max(before.last, last) };
    else ranges.push({ first, last });
  }
  return ranges;
}

/** Each changed function; or, of a long one, its head and what is around the change. */
export function enclosing(units: readonly Unit[]): readonly Candidate[] {
  const before = new Map<string, number>();
  return [...units]
    .sort((a, b) => b.lines.length - a.lines.length)
    .map(({ path, kind, own, lines }): Candidate => {
      const rank = before.get(path) ?? 0;
      before.set(path, rank + 1);
      const of = `${path}:${own?.startLine ?? lines[0]}`;
      const shown = { kind: "enclosing", path, of, why: "around the change", worth: WORTH[kind] - rank * 5 } as const;
      const head = own === null ? [] : [beginning(own, HEAD_LINES)];
      const short = [...head, ...near(lines, NEAR.short, own)];
      if (own !== null && lengthOf(own) <= WHOLE_LINES) {
        const whole = [beginning(own)];
        return { ...shown, short: lengthOf(own) <= SHORT_LINES ? whole : short, full: whole };
      }
      if (kind === "docs") return { ...shown, short, full: short };
      return { ...shown, short, full: [...head, ...near(lines, NEAR.full, own)] };
    });
}

/** The lines of changed functions, by path. */
export function bodiesOf(units: readonly Unit[], texts: Texts): Texts {
  const functions = Map.groupBy(units, ({ path }) => path);
  return new Map(
    [...functions].map(([path, all]) => [
      path,
      all.flatMap(({ own }) =>
        own === null || HOLDERS.has(own.kind)
          ? []
          : (texts.get(path) ?? []).slice(own.startLine - 1, Math.min(own.endLine, own.startLine + WHOLE_LINES)),
      ),
    ]),
  );
}

const TYPE_LINES = 60;
/** Types around a change that are outlined, and whose bases are looked for. */
const MOST_TYPES = 20;

/** Types around changed functions: head, fields, and the first line of each function. */
export function enclosingTypes(
  units: readonly Unit[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
): readonly Candidate[] {
  const types = new Map(units.flatMap(({ type, own, kind }) => (type === null || type === own ? [] : [[type, kind]])));
  return [...types].slice(0, MOST_TYPES).map(([type, kind]): Candidate => {
    const { path } = type;
    const short = skeleton(type, outlines.get(path) ?? []);
    const of = `${path} types`;
    return { kind: "enclosing", path, of, why: `outline of ${type.name}`, short, full: short, worth: WORTH[kind] - 50 };
  });
}

function skeleton(type: Definition, outline: readonly Definition[]): readonly Range[] {
  const ranges: Range[] = [];
  let [next, left] = [type.startLine, TYPE_LINES];
  const take = (first: number, last: number) => {
    const end = Math.min(last, first + left - 1);
    if (end >= first) ranges.push({ first, last: end });
    left -= Math.max(0, end - first + 1);
  };
  for (const { startLine, endLine, kind } of outline) {
    if (startLine < next || startLine <= type.startLine || endLine > type.endLine || HOLDERS.has(kind)) continue;
    take(next, startLine);
    next = endLine + 1;
  }
  take(next, type.endLine);
  return ranges;
}

/** An import of more lines, and the imports of one file. */
const IMPORT_LINES = { one: 40, all: 60 };

/** What a changed file imports of what its changed lines use, then the rest of its imports. */
export function imports(units: readonly Unit[], used: readonly UsedName[], texts: Texts): readonly Candidate[] {
  const byPath = Map.groupBy(units, ({ path }) => path);
  return [...byPath].flatMap(([path, [unit]]): Candidate[] => {
    const names = new Set(used.flatMap(({ name, paths }) => (paths.has(path) ? [name] : [])));
    const lines = texts.get(path) ?? [];
    const statements = importsOf(lines).slice(0, IMPORT_LINES.all);
    const short = statements.filter(({ first, last }) =>
      lines.slice(first - 1, last).some((line) => (line.match(WORD) ?? []).some((word) => names.has(word))),
    );
    if (short.length === 0 || unit === undefined) return [];
    const worth = WORTH[unit.kind] - 40;
    return [{ kind: "enclosing", path, of: `${path} imports`, why: "imports", short, full: statements, worth }];
  });
}

function importsOf(lines: readonly string[]): readonly Range[] {
  const found: Range[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").slice(0, 300);
    if (!IMPORT.test(line) || /^\s{5}/.test(line)) continue;
    const close = /\{[^}]*$/.test(line) ? "}" : /\([^)]*$/.test(line) ? ")" : null;
    let last = at;
    while (
      close !== null &&
      last - at < IMPORT_LINES.one &&
      last < lines.length &&
      lines[last]?.includes(close) !== true
    )
      last++;
    found.push({ first: at + 1, last: last + 1 });
    at = last;
  }
  return found;
}

/** Lines of a definition that changed lines call, and of one that they only name. */
const CALLED = { short: 16, full: 80 };
const NAMED = { short: 10, full: 40 };

/** Definitions that changed lines name: called functions, then types, constants and fields. */
export function defined(
  used: readonly UsedName[],
  changed: readonly ChangedName[],
  symbols: Symbols,
  words: Words,
): readonly Candidate[] {
  const own = new Set(changed.filter(({ what }) => what === "behaviour").map(({ name, path }) => `${path} ${name}`));
  return used.flatMap((name): Candidate[] => {
    if ([...name.paths].some((path) => own.has(`${path} ${name.name}`))) return [];
    const all = symbols.get(name.name)?.definitions ?? [];
    const meant = tied(all, name, words);
    return likely(meant, name, words).map((definition, rank): Candidate => {
      const { path } = definition;
      const isCalled = name.called && !isField(definition);
      const lines = isCalled ? CALLED : NAMED;
      const isShort = isCalled && lengthOf(definition) <= SHORT_LINES;
      return {
        kind: isCalled ? "called" : "definition",
        path,
        of: [...name.paths][0] ?? "",
        why: `defines ${name.name}`,
        short: [beginning(definition, isShort ? SHORT_LINES : lines.short)],
        full: [beginning(definition, lines.full)],
        worth: -name.rank - rank * 10 - (meant.length > 3 ? 10 : 0) - (HOLDERS.has(definition.kind) ? 3 : 0),
      };
    });
  });
}

/** Lines of a function that only hands on, and how many such are followed. */
const HANDS_ON = { lines: 12, most: 8 };

/** What called functions of a few lines call in their own file: there it happens. */
export function handedOn(
  called: readonly Candidate[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
  texts: Texts,
): readonly Candidate[] {
  return called.flatMap((candidate): Candidate[] => {
    const [range] = candidate.full;
    if (range === undefined) return [];
    const words = new Set(
      (texts.get(candidate.path) ?? [])
        .slice(range.first - 1, range.last)
        .join("\n")
        .match(WORD),
    );
    return (outlines.get(candidate.path) ?? [])
      .filter(({ name, startLine, kind }) => words.has(name) && startLine !== range.first && !HOLDERS.has(kind))
      .slice(0, 2)
      .map((next) => ({
        ...candidate,
        why: `defines ${next.name}`,
        short: [beginning(next, CALLED.short)],
        full: [beginning(next, CALLED.full)],
        worth: candidate.worth - 1,
      }));
  });
}

/** The called functions of a few lines, the likeliest first. */
export function shortCalled(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates
    .filter(
      ({ kind, full: [range] }) =>
        kind === "called" && range !== undefined && range.last - range.first < HANDS_ON.lines,
    )
    .sort((a, b) => b.worth - a.worth)
    .slice(0, HANDS_ON.most);
}

function isField({ kind }: Definition): boolean {
  return kind === "field" || kind === "constant";
}

/**
 * The definitions that more than the word ties to a use: its file, its folder, what is imported, or
 * a name that is alone.
 */
function tied(all: readonly Definition[], use: UsedName, words: Words): readonly Definition[] {
  const { name, paths, qualifiers } = use;
  const folders = new Set([...paths].map(folderOf));
  const isInTests = [...paths].some(isTestPath);
  const isImported = [...(words.get(name) ?? [])].some((path) => paths.has(path));
  const isAlone = all.length <= AMBIGUOUS && (isImported || (all.length <= 2 && COMPOUND.test(name)));
  return [...Map.groupBy(all, ({ path }) => path)].flatMap(([path, here]) => {
    if (NO_CODE.test(path) || (isTestPath(path) && !isInTests)) return [];
    const isNear = paths.has(path) || folders.has(folderOf(path));
    if (!isNear && !isQualified(path, qualifiers) && !isNamedIn(path, paths, words) && !isAlone) return [];
    return here.filter(({ kind }) => kind !== "field" || qualifiers.size > 0 || paths.has(path));
  });
}

/** `setPropertiesFromEnv`, `SDL_memset`: hardly two mean other things by it. */
const COMPOUND = /[a-z\d][A-Z]|\w_\w/;

/** `blocklogger.Debugf` is of a file or a folder `blocklogger`. */
function isQualified(path: string, qualifiers: ReadonlySet<string>): boolean {
  return [stemOf(path), nameOf(folderOf(path))].some((word) => qualifiers.has(word));
}

/** Beyond so many that nothing tells apart, none is shown. */
const AMBIGUOUS = 4;

/** For each type that changed files name, and each word of their imports, these files. */
export type Words = ReadonlyMap<string, ReadonlySet<string>>;

export function filesByWord(texts: Texts): Words {
  const files = new Map<string, Set<string>>();
  for (const [path, lines] of texts) {
    const imported = importsOf(lines).map(({ first, last }) => lines.slice(first - 1, last).join("\n"));
    const types = (lines.join("\n").match(WORD) ?? []).filter((word) => TYPE.test(word));
    for (const word of new Set([...(imported.join("\n").match(WORD) ?? []), ...types])) {
      const known = files.get(word) ?? new Set();
      files.set(word, known.add(path));
    }
  }
  return files;
}

/** Of several definitions of a name those that its use most likely means, at most two. */
function likely(
  definitions: readonly Definition[],
  { qualifiers, paths }: Pick<UsedName, "qualifiers" | "paths">,
  words: Words,
): readonly Definition[] {
  const folders = new Set([...paths].map(folderOf));
  const score = (path: string) => {
    return (
      (isQualified(path, qualifiers) ? 4 : 0) +
      (paths.has(path) ? 3 : 0) +
      (isNamedIn(path, paths, words) ? 3 : 0) +
      (folders.has(folderOf(path)) ? 2 : 0) -
      (isTestPath(path) && !isInTests ? 3 : 0)
    );
  };
  const isInTests = [...paths].every(isTestPath);
  const scores = new Map([...new Set(definitions.map(({ path }) => path))].map((path) => [path, score(path)]));
  const best = Math.max(...scores.values());
  const alike = definitions.filter(({ path }) => scores.get(path) === best);
  // One file may use two of a name: its own and `blocklogger.Debugf`.
  const other = definitions.find(({ path }) => scores.get(path) !== best && isQualified(path, qualifiers));
  if (alike.length > AMBIGUOUS) return other === undefined ? [] : [other];
  return [...(other === undefined ? [] : [other]), ...alike].slice(0, 2);
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

/** A use of a changed name, and why it counts. */
interface CallSite extends Reference {
  readonly name: string;
  readonly of: string;
  readonly worth: number;
}

/** Callers shown of one name, and files that are read for them. */
const MOST_CALLERS = { name: 3, files: 12 };
const CALLER = { whole: 80, short: 3, full: 12 };
const SERIOUS: Readonly<Record<ChangedName["what"], number>> = { removed: 40, signature: 30, behaviour: 20, value: 0 };

/** Where changed functions are called: the first places of each, in a bounded number of files. */
export function likelyCallers(
  calls: readonly (Pick<ChangedName, "name" | "path" | "what"> & { readonly sites: readonly Reference[] })[],
): readonly CallSite[] {
  const files = new Set<string>();
  return calls
    .filter(({ what }) => what !== "value")
    .flatMap(({ name, path: of, what, sites }) =>
      sites
        .filter(({ text }) => !IMPORT.test(text))
        .slice(0, MOST_CALLERS.name)
        .map((site, rank) => ({ ...site, name, of, worth: SERIOUS[what] - rank * 12 })),
    )
    .sort((a, b) => b.worth - a.worth)
    .filter(({ path }) => files.has(path) || (files.size < MOST_CALLERS.files && files.add(path)));
}

/** The functions around call sites. */
export function callers(
  sites: readonly CallSite[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
): readonly Candidate[] {
  const seen = new Set<string>();
  return sites.flatMap(({ path, line, name, of, worth }): Candidate[] => {
    const { own } = placeOf(holdersOf(outlines.get(path) ?? []), line);
    const key = `${path}:${own?.startLine ?? line} ${name}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const head = own === null ? [] : [beginning(own, 2)];
    const short = [...head, ...near([line], CALLER.short, own)];
    const isWhole = own !== null && lengthOf(own) <= CALLER.whole;
    const full = isWhole ? [beginning(own)] : [...head, ...near([line], CALLER.full, own)];
    return [{ kind: "caller", path, of, why: `uses ${name}`, short, full, worth }];
  });
}

/** Names in the heads of the types around the change: what they extend or implement. */
export function baseNames(units: readonly Unit[], texts: Texts): ReadonlySet<string> {
  const names = new Set<string>();
  for (const type of [...new Set(units.map((unit) => unit.type))].slice(0, MOST_TYPES)) {
    if (type === null) continue;
    const head = (texts.get(type.path) ?? []).slice(type.startLine - 1, Math.min(type.endLine, type.startLine + 3));
    const text = head.join(" ").slice(0, 400);
    for (const word of text.split("{", 1)[0]?.match(WORD) ?? [])
      if (/^[A-Z]\w{2}/.test(word) && word !== type.name) names.add(word);
  }
  return names;
}

/** Types that changed ones extend or implement: whole, or head and changed functions. */
export function implemented(
  bases: ReadonlySet<string>,
  changed: readonly ChangedName[],
  symbols: Symbols,
  words: Words,
): readonly Candidate[] {
  const paths = new Set(changed.map(({ path }) => path));
  return [...bases].flatMap((name): Candidate[] => {
    const types = (symbols.get(name)?.definitions ?? []).filter(
      ({ kind, path }) => HOLDERS.has(kind) && !NO_CODE.test(path),
    );
    const use = { qualifiers: new Set<string>(), paths };
    return likely(types, use, words).map((type, rank): Candidate => {
      const members = changed.flatMap((one) =>
        (symbols.get(one.name)?.definitions ?? []).filter(
          ({ path, startLine, endLine }) => path === type.path && startLine > type.startLine && endLine <= type.endLine,
        ),
      );
      const short = [beginning(type, HEAD_LINES), ...members.map((member) => beginning(member, 30))];
      const full = lengthOf(type) <= TYPE_LINES ? [beginning(type)] : short;
      const worth = 100 + members.length * 5 - rank;
      return { kind: "implemented", path: type.path, of: name, why: `base ${name}`, short, full, worth };
    });
  });
}

/** The same function of other types: it declares the changed one, or may need the change too. */
export function siblings(changed: readonly ChangedName[], symbols: Symbols, words: Words): readonly Candidate[] {
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
    return ordered.slice(0, 3).map((other, rank): Candidate => {
      const { path } = other;
      // An interface says a function in one line; what is around it says what is expected of it.
      const isDeclared = lengthOf(other) === 1;
      const worth =
        (what === "value" ? 30 : 45) +
        (isNamedIn(path, inOwn, words) ? 25 : 0) -
        8 * rank -
        Math.min(10, others.length);
      const [short, full] = isDeclared
        ? [near([other.startLine], 1, null), near([other.startLine], 4, null)]
        : [[beginning(other, 10)], [beginning(other, 40)]];
      return {
        kind: isDeclared ? "implemented" : "sibling",
        path,
        of: own,
        why: `another ${name}`,
        short,
        full,
        worth,
      };
    });
  });
}

function endingOf(path: string): string {
  return /\.\w+$/.exec(path)?.[0] ?? "";
}

/** The name of a file without its ending; of an `index` file, the folder's. */
export function stemOf(path: string): string {
  const stem = nameOf(path).replace(/\.\w+$/, "");
  return /^(?:index|mod|lib|__init__)$/.test(stem) ? nameOf(folderOf(path)) : stem;
}

const PATH_LIKE = /(?<![\w@.-])[\w@.-]{1,100}(?:\/[\w@.-]{1,100}){0,20}\.[A-Za-z]\w{0,7}/g;
/** Folders and name that PATH_LIKE takes. */
const MOST_PARTS = 21;
const MOST_MENTIONED = 5;

/** Files that the description names and the diff does not have. */
export function mentioned({ pull, files }: PullRequestContext, paths: Iterable<string>): readonly Candidate[] {
  const changed = new Set(files.map(({ path }) => path));
  const text = `${pull.title}\n${pull.body ?? ""}`.slice(0, 20_000);
  const words = new Set((text.match(PATH_LIKE) ?? []).map((word) => word.replace(/^\.?\//, "")));
  const named = pathsByEnd(paths, words);
  const found = [...words].flatMap((word) => {
    const alike = named.get(word) ?? [];
    return alike.length === 1 ? alike.filter((path) => !changed.has(path)) : [];
  });
  const [short, full] = [[{ first: 1, last: 20 }], [{ first: 1, last: 80 }]];
  const own = { kind: "mentioned", of: "", why: "named in the description", short, full, worth: 0 } as const;
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

/** Lines of comment above a definition, and of attributes. */
const COMMENT = /^\s*(?:\/[/*]|\*|#(?!\s*(?:define|include|if|el|end))|--|@\w|\[\w)/;
const COMMENT_LINES = 12;

/** What is said above a called function, or one that is implemented, belongs to it. */
export function withComment(one: Candidate, texts: Texts): Candidate {
  if (one.kind !== "called" && one.kind !== "implemented") return one;
  const lines = texts.get(one.path) ?? [];
  const start = one.short[0]?.first ?? 1;
  let first = start;
  while (first > 1 && start - first < COMMENT_LINES && COMMENT.test((lines[first - 2] ?? "").slice(0, 200))) first--;
  const above = first < start ? [{ first, last: start - 1 }] : [];
  return { ...one, short: [...above, ...one.short], full: [...above, ...one.full] };
}
