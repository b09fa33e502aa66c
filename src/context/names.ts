// The names in a change: which it uses, and which it changed for others.
import { codeOnly } from "../domain/code/code-only.ts";
import type { Definition } from "../domain/code/symbols.ts";
import { firstNotBefore } from "../domain/first-not-before.ts";
import { type DiffLine, type FileDiff, type Hunk, positioned } from "../domain/pull-request.ts";
import type { FileKind } from "../domain/signals.ts";

/** A name that changed lines use. */
export interface UsedName {
  readonly name: string;
  /** How much of the change uses it. */
  readonly weight: number;
  /** Its place, from 0, in the file that uses it most: no file's names crowd out another's. */
  readonly rank: number;
  /** Whether a line of the diff, or of a changed function, calls it. */
  readonly called: boolean;
  /** The words before the dot: `blocklogger` of `blocklogger.Debugf`. */
  readonly qualifiers: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/** A name that means something else after the change, or nothing. */
export interface ChangedName {
  readonly name: string;
  readonly path: string;
  /** The most serious of its changes. */
  readonly what: "signature" | "removed" | "behaviour" | "value";
}

export interface ChangeNames {
  readonly used: readonly UsedName[];
  readonly changed: readonly ChangedName[];
}

const MOST_USED = 160;
const MOST_CHANGED = 30;

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Documents, data and settings: their words are no names of code. */
export const NO_CODE = /\.(?:md|mdx|txt|rst|json|jsonc|lock|svg|html?|css|scss|less|csv|ya?ml|xml|snap)$/i;

const KEYWORDS = new Set(
  `abstract and any array as assert async await bool boolean break byte case catch char chan class const continue
  crate declare def default defer del delete do double elif else end enum err error export extends extern false final
  finally float for foreach from func function get go goto if impl implements import in include instanceof int
  interface internal is let lambda long map match mod module mut namespace new nil none not null number object of
  operator or override package pass private protected pub public raise range readonly record ref rescue return self
  sealed select set short signed sizeof static str string struct super switch this throw throws trait true try type
  typedef typeof uint undefined union unless unsigned until use using val var virtual void volatile when where while
  with yield console log require println printf string len append make None True False null id name value key data
  path text list index size length push test describe expect it`.split(/\s+/),
);

/** Of a use in a line of the diff, or of a call in the rest of a changed function. */
const WEIGHTS = { added: 2, removed: 1, context: 0.25, around: 0.1 } as const;

const WHAT = ["signature", "removed", "behaviour", "value"] as const;

/**
 * @param outlines the definitions of each changed file at the head, by path
 * @param bodies lines of changed functions, by path
 * @param kinds by path; nothing else depends on what tests and documents change
 */
export function changeNames(
  files: readonly FileDiff[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
  kinds: ReadonlyMap<string, FileKind>,
  bodies: ReadonlyMap<string, readonly string[]>,
): ChangeNames {
  const used: Uses = new Map();
  const changed = new Map<string, ChangedName>();
  for (const file of files) {
    if (NO_CODE.test(file.path)) continue;
    const kind = kinds.get(file.path) ?? "source";
    const lines = file.hunks.flatMap((hunk) => codeLines(file.path, hunk));
    const factor = kind === "source" ? 1 : 0.4;
    for (const { kind: side, code } of lines) {
      // What is only imported is not used.
      if (!IMPORT.test(code.slice(0, 200))) use(used, code, file.path, factor * WEIGHTS[side], side === "context");
    }
    for (const line of bodies.get(file.path) ?? [])
      use(used, codeOnly(file.path, line), file.path, factor * WEIGHTS.around, true);
    if (kind === "test" || kind === "docs") continue;
    for (const [name, what] of changesIn(file, lines, outlines.get(file.path) ?? []))
      if (isName(name) && isWorse(what, changed.get(name))) changed.set(name, { name, path: file.path, what });
  }
  return {
    used: ranked(used).slice(0, MOST_USED),
    changed: [...changed.values()].sort((a, b) => WHAT.indexOf(a.what) - WHAT.indexOf(b.what)).slice(0, MOST_CHANGED),
  };
}

function ranked(used: Uses): readonly UsedName[] {
  const inFile = new Map<string, number>();
  return [...used]
    .map(([name, of]) => ({ name, ...of }))
    .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .map((one) => {
      const ranks = [...one.paths].map((path) => inFile.get(path) ?? 0);
      for (const path of one.paths) inFile.set(path, (inFile.get(path) ?? 0) + 1);
      return { ...one, rank: Math.min(...ranks) };
    })
    .sort((a, b) => a.rank - b.rank);
}

function isWorse(what: ChangedName["what"], known: ChangedName | undefined): boolean {
  return known === undefined || WHAT.indexOf(what) < WHAT.indexOf(known.what);
}

function isName(word: string): boolean {
  return word.length > 2 && !KEYWORDS.has(word);
}

type Uses = Map<string, { weight: number; called: boolean; qualifiers: Set<string>; paths: Set<string> }>;

/** `Cart`, not `CART`. */
export const TYPE = /^[A-Z]\w*[a-z]/;
const CALLED = /\s*(?:<[^<>()]*>)?[(!]/y;
/** Between a name and the one that it is a member of. */
const MEMBER = /^\s*(?:\.|::|->|\?\.)\s*$/;

/** How a line that imports begins. */
export const IMPORT =
  /^\s*(?:(?:import|from|use(?!\s*\()|using(?!\s*(?:var\b|\())|require)\b|export .* from\b|#\s*include\b|(?:const|let|var) .*require\()/;

/**
 * One pass: the text between two names is read once, however long the line is.
 *
 * @param isUnchanged count only calls and types
 */
function use(used: Uses, code: string, path: string, weight: number, isUnchanged: boolean): void {
  let before: { readonly name: string; readonly end: number } | null = null;
  for (const { 0: name, index } of code.matchAll(WORD)) {
    const qualifier = before !== null && MEMBER.test(code.slice(before.end, index)) ? before.name : null;
    const end = index + name.length;
    before = { name, end };
    CALLED.lastIndex = end;
    const isCall = CALLED.test(code);
    const isType = TYPE.test(name);
    if (!isName(name) || (isUnchanged && !isCall && !isType)) continue;
    const known = used.get(name) ?? {
      weight: 0,
      called: false,
      qualifiers: new Set<string>(),
      paths: new Set<string>(),
    };
    used.set(name, known);
    known.weight += weight * (isCall ? 3 : isType ? 2 : 1);
    known.called ||= isCall;
    known.paths.add(path);
    if (qualifier !== null) known.qualifiers.add(qualifier);
  }
}

type CodeLine = Pick<DiffLine, "kind"> & { readonly code: string; readonly at: number };

/** Each side is read by itself: a removed line opens no comment of the head. */
function codeLines(path: string, hunk: Hunk): readonly CodeLine[] {
  const all = [...positioned(hunk)];
  const without = (left: "added" | "removed"): readonly CodeLine[] => {
    const side = all.filter(({ line }) => line.kind !== left);
    const code = codeOnly(path, side.map(({ line }) => line.text).join("\n")).split("\n");
    return side.map(({ line: { kind }, at }, index) => ({ kind, at, code: code[index] ?? "" }));
  };
  return [...without("removed"), ...without("added").filter(({ kind }) => kind === "removed")];
}

/** A line that defines a name, in most languages. */
const DEFINES =
  /^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|override|virtual|const|unsafe|inline|extern|readonly|open|suspend|def|func(?:\s*\([^)]*\))?|function\*?|fn|class|struct|enum|interface|trait|type|record|let|var|val|#\s*define)\s+){1,9}(?:[\w<>[\],.?*&]+\s+){0,9}?[*&]*([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:[<({=:;]|$)/u;
const C_FUNCTION = /^[A-Za-z_][\w\s*&:<>]*?[\s*&]([A-Za-z_]\w*)\s*\([^;]*$/;
/** What a line sets, and whether it says of what: `cart.total = 1`. */
const SETS = /^\s*((?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|->|::)){0,9})["']?([\p{L}_$][\p{L}\p{N}_$]*)["']?\s*([:=])(?!=)/u;

function* changesIn(
  file: FileDiff,
  lines: readonly CodeLine[],
  outline: readonly Definition[],
): Iterable<readonly [name: string, what: ChangedName["what"]]> {
  const holders = holdersOf(outline);
  const isLocal = (line: number) =>
    holders.around(line).some((definition) => isFunction(definition) && definition.startLine < line);
  const named = (of: "added" | "removed") =>
    new Set(
      lines.flatMap(({ kind, code, at }) => {
        const name = kind === of ? (DEFINES.exec(code)?.[1] ?? C_FUNCTION.exec(code)?.[1]) : undefined;
        return name === undefined || isLocal(at) ? [] : [name];
      }),
    );
  const [before, after] = [named("removed"), named("added")];
  for (const name of before) yield [name, after.has(name) ? "signature" : "removed"];
  if (file.status === "added") {
    for (const name of after) yield [name, "behaviour"];
    return;
  }
  for (const at of touchedLines(file)) {
    const [inner] = holders.around(at);
    if (inner !== undefined && inner.kind !== "section") yield [inner.name, "behaviour"];
  }
  for (const { kind, code, at } of lines) {
    const [, of, name, sign] = (kind === "context" ? null : SETS.exec(code)) ?? [];
    if (name !== undefined && (of !== "" || sign === ":" || !isLocal(at))) yield [name, "value"];
  }
  for (const name of after) yield [name, "value"];
}

function isFunction({ kind }: Definition): boolean {
  return kind === "function" || kind === "method";
}

/** Lines of the head that were added, or are in the place of removed ones. */
export function touchedLines({ hunks }: FileDiff): readonly number[] {
  return hunks.flatMap(positioned).flatMap(({ line, at }) => (line.kind === "context" ? [] : [at]));
}

/** What holds a line, of one file's definitions. */
export interface Holders {
  /** The definitions around a line, the smallest first. */
  around(line: number): readonly Definition[];
}

/** Definitions around one line that are looked at: nobody writes so many in each other. */
const MOST_AROUND = 200;

interface Held {
  readonly own: Definition;
  readonly outer: Held | null;
}

/** @param outline definitions of one file, which lie side by side or in each other */
export function holdersOf(outline: readonly Definition[]): Holders {
  // Of several on the same lines the first is the smallest, so it comes last.
  const ordered = [...outline].reverse().sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
  /** From which line on which one is the smallest. */
  const from: { readonly line: number; readonly held: Held | null }[] = [];
  let open: Held | null = null;
  const closeBefore = (line: number) => {
    while (open !== null && open.own.endLine < line) {
      from.push({ line: Math.max(open.own.endLine + 1, from.at(-1)?.line ?? 0), held: open.outer });
      open = open.outer;
    }
  };
  for (const own of ordered) {
    closeBefore(own.startLine);
    open = { own, outer: open };
    from.push({ line: own.startLine, held: open });
  }
  closeBefore(Number.POSITIVE_INFINITY);
  return {
    around(line) {
      const found: Definition[] = [];
      let held = from[firstNotBefore(from, (one) => one.line, line + 1) - 1]?.held ?? null;
      for (let step = 0; held !== null && step < MOST_AROUND; step++, held = held.outer)
        if (held.own.endLine >= line) found.push(held.own);
      return found;
    },
  };
}
