// The names in a change: which it uses, and which it changed for others.
import { codeOnly } from "../domain/code/code-only.ts";
import type { Definition } from "../domain/code/symbols.ts";
import { type DiffLine, type FileDiff, positioned } from "../domain/pull-request.ts";
import type { FileKind } from "../domain/signals.ts";

/** A name that changed lines use. */
export interface UsedName {
  readonly name: string;
  /** Higher is looked for first. */
  readonly weight: number;
  /** The words before the dot: `blocklogger` of `blocklogger.Debugf`. */
  readonly qualifiers: ReadonlySet<string>;
  /** Files that use it. */
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
/** Files whose words are no names of code. */
const NO_CODE = /\.(?:md|mdx|txt|rst|json|jsonc|lock|svg|html?|css|scss|less|csv|ya?ml|xml|snap)$/i;

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

/** Of a use in a line of the diff, or of the lines near it. */
const WEIGHTS = { added: 2, removed: 1, context: 0.25, around: 0.1 } as const;
const NEAR = 10;

const WHAT = ["signature", "removed", "behaviour", "value"] as const;

/**
 * @param outlines the definitions of each changed file at the head, by path
 * @param texts lines of each changed file at the head, by path
 * @param kinds by path; nothing else depends on what tests and documents change
 */
export function changeNames(
  files: readonly FileDiff[],
  outlines: ReadonlyMap<string, readonly Definition[]>,
  kinds: ReadonlyMap<string, FileKind>,
  texts: ReadonlyMap<string, readonly string[]>,
): ChangeNames {
  const used: Uses = new Map();
  const changed = new Map<string, ChangedName>();
  for (const file of files) {
    if (NO_CODE.test(file.path)) continue;
    const kind = kinds.get(file.path) ?? "source";
    const lines = file.hunks.flatMap((hunk) => codeLines(file.path, hunk.lines));
    const factor = kind === "source" ? 1 : 0.4;
    for (const { kind: side, code } of lines) use(used, code, file.path, factor * WEIGHTS[side]);
    for (const code of codeAround(file, texts.get(file.path) ?? []))
      use(used, code, file.path, factor * WEIGHTS.around);
    if (kind === "test" || kind === "docs") continue;
    for (const [name, what] of changesIn(file, lines, outlines.get(file.path) ?? []))
      if (isName(name) && isWorse(what, changed.get(name))) changed.set(name, { name, path: file.path, what });
  }
  return {
    used: [...used]
      .map(([name, of]) => ({ name, ...of }))
      .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
      .slice(0, MOST_USED),
    changed: [...changed.values()].sort((a, b) => WHAT.indexOf(a.what) - WHAT.indexOf(b.what)).slice(0, MOST_CHANGED),
  };
}

function isWorse(what: ChangedName["what"], known: ChangedName | undefined): boolean {
  return known === undefined || WHAT.indexOf(what) < WHAT.indexOf(known.what);
}

function isName(word: string): boolean {
  return word.length > 2 && !KEYWORDS.has(word);
}

type Uses = Map<string, { weight: number; qualifiers: Set<string>; paths: Set<string> }>;

function use(used: Uses, code: string, path: string, weight: number): void {
  for (const { 0: name, index } of code.matchAll(WORD)) {
    if (!isName(name)) continue;
    const known = used.get(name) ?? { weight: 0, qualifiers: new Set<string>(), paths: new Set<string>() };
    used.set(name, known);
    const isCalled = /^\s*(?:<[^<>()]*>)?[(!]/.test(code.slice(index + name.length));
    const isType = /^[A-Z]/.test(name);
    known.weight += weight * (isCalled ? 3 : isType ? 2 : 1);
    known.paths.add(path);
    const qualifier = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)\s{0,99}(?:\.|::|->|\?\.)\s{0,99}$/u.exec(
      code.slice(0, index),
    )?.[1];
    if (qualifier !== undefined) known.qualifiers.add(qualifier);
  }
}

/** Lines of the head on either side of each hunk. */
function codeAround({ path, hunks }: FileDiff, lines: readonly string[]): readonly string[] {
  return hunks.flatMap(({ newStart, newLines }) => {
    const before = lines.slice(Math.max(0, newStart - 1 - NEAR), newStart - 1);
    const behind = lines.slice(newStart - 1 + newLines, newStart - 1 + newLines + NEAR);
    return [...before, ...behind].map((line) => codeOnly(path, line));
  });
}

type CodeLine = Pick<DiffLine, "kind"> & { readonly code: string };

/** Each side is read by itself: a removed line opens no comment of the head. */
function codeLines(path: string, lines: readonly DiffLine[]): readonly CodeLine[] {
  const without = (left: "added" | "removed"): readonly CodeLine[] => {
    const side = lines.filter(({ kind }) => kind !== left);
    const code = codeOnly(path, side.map(({ text }) => text).join("\n")).split("\n");
    return side.map(({ kind }, at) => ({ kind, code: code[at] ?? "" }));
  };
  return [...without("removed"), ...without("added").filter(({ kind }) => kind === "removed")];
}

/** A line that defines a name, in most languages. */
const DEFINES =
  /^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|override|virtual|const|unsafe|inline|extern|readonly|open|suspend|def|func(?:\s*\([^)]*\))?|function\*?|fn|class|struct|enum|interface|trait|type|record|let|var|val|#\s*define)\s+){1,9}(?:[\w<>[\],.?*&]+\s+[*&]*){0,9}?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:[<({=:;]|$)/u;
const C_FUNCTION = /^[A-Za-z_][\w\s*&:<>]*?[\s*&]([A-Za-z_]\w*)\s*\([^;]*$/;
const SETS = /^\s*["']?([\p{L}_$][\p{L}\p{N}_$]*)["']?\s*[:=](?!=)/u;

function* changesIn(
  file: FileDiff,
  lines: readonly CodeLine[],
  outline: readonly Definition[],
): Iterable<readonly [name: string, what: ChangedName["what"]]> {
  const named = (of: "added" | "removed") =>
    new Set(
      lines.flatMap(({ kind, code }) => {
        const name = kind === of ? (DEFINES.exec(code)?.[1] ?? C_FUNCTION.exec(code)?.[1]) : undefined;
        return name === undefined ? [] : [name];
      }),
    );
  const [before, after] = [named("removed"), named("added")];
  for (const name of before) yield [name, after.has(name) ? "signature" : "removed"];
  if (file.status === "added") {
    for (const name of after) yield [name, "behaviour"];
    return;
  }
  for (const at of touchedLines(file)) {
    const inner = innermost(outline, at);
    if (inner !== null && inner.kind !== "section") yield [inner.name, "behaviour"];
  }
  for (const { kind, code } of lines) {
    const name = kind === "context" ? undefined : SETS.exec(code)?.[1];
    if (name !== undefined) yield [name, "value"];
  }
  for (const name of after) yield [name, "value"];
}

/** Lines of the head that were added, or are in the place of removed ones. */
export function touchedLines({ hunks }: FileDiff): readonly number[] {
  return hunks.flatMap(positioned).flatMap(({ line, at }) => (line.kind === "context" ? [] : [at]));
}

/** The smallest definition around a line. */
export function innermost(outline: readonly Definition[], line: number): Definition | null {
  let best: Definition | null = null;
  for (const one of outline) {
    if (one.startLine > line || one.endLine < line) continue;
    if (best === null || one.endLine - one.startLine < best.endLine - best.startLine) best = one;
  }
  return best;
}
