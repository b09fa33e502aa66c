// A Jupyter notebook's code, on the lines of its JSON, which has each line of code on its own line.

import type { FileDiff } from "../pull-request.ts";

/** A notebook as two texts of equally many lines; a line of the other one is empty. */
export interface Notebook {
  /** As the kernel names it: `python`, `julia`. */
  readonly language: string;
  readonly code: NotebookSide;
  /** Outputs, prose and settings, as in the JSON. */
  readonly rest: NotebookSide;
}

interface NotebookSide {
  readonly text: string;
  readonly diff: FileDiff;
}

export function isNotebook(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/** Of a file that anyone may have written: a cell may be anything. */
type Cell = { readonly cell_type?: unknown; readonly source?: unknown } | null;

const STRING = /^\s*("(?:[^"\\]|\\.)*"),?\s*$/;
const MORE_LINES = /\n./s;
const OPENS = /^\s*"source":\s*\[\s*$/;

/**
 * Reads a notebook.
 *
 * @param text the file at the head, of format 4
 * @returns null where lines of code are not on lines of their own. Linear in the length of `text`
 */
export function readNotebook(text: string, diff: FileDiff): Notebook | null {
  const parsed = parsedJson(text);
  const cells = parsed?.cells;
  if (parsed === null || !Array.isArray(cells)) return null;
  const lines = text.split("\n");
  const code = codeLines(lines, cells as readonly Cell[]);
  if (code === null) return null;
  const side = (isCode: boolean): NotebookSide => {
    const at = (number: number, own: string) =>
      code.has(number) ? (isCode ? code.get(number) : "") : isCode ? "" : own;
    const hunks = diff.hunks.map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map((line) => {
        const removed = isCode ? withoutMagic(stringOf(line.text) ?? "") : line.text;
        return { ...line, text: line.newLine === null ? removed : (at(line.newLine, line.text) ?? "") };
      }),
    }));
    return { text: lines.map((line, index) => at(index + 1, line)).join("\n"), diff: { ...diff, hunks } };
  };
  return { language: languageOf(parsed), code: side(true), rest: side(false) };
}

interface Json {
  readonly cells?: unknown;
  readonly metadata?: {
    readonly kernelspec?: { readonly name?: unknown; readonly language?: unknown };
    readonly language_info?: { readonly name?: unknown };
  };
}

function parsedJson(text: string): Json | null {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return typeof parsed === "object" ? (parsed as Json | null) : null;
  } catch {
    return null;
  }
}

/** Jupyter starts the kernel by name (`python3`, `ir`, `julia-1.10`); the rest is for display. */
function languageOf({ metadata }: Json): string {
  const { name, language } = metadata?.kernelspec ?? {};
  if (typeof name === "string" && /^python/i.test(name)) return "python";
  const said = [language, metadata?.language_info?.name].find((one) => typeof one === "string" && one !== "");
  return typeof said === "string" ? said : "python";
}

/** The code by line number; null where a cell is not written as one string a line. */
function codeLines(lines: readonly string[], cells: readonly Cell[]): ReadonlyMap<number, string> | null {
  const code = new Map<number, string>();
  let next = 0;
  for (const cell of cells) {
    const source: unknown = cell?.source ?? [];
    const isCode = cell?.cell_type === "code";
    // Prose may stand in one string: nothing of it is code.
    if (typeof source === "string" && (!isCode || source === "")) continue;
    if (!Array.isArray(source)) return null;
    if (source.length === 0) continue;
    while (next < lines.length && !isSource(lines, next, source)) next++;
    if (next === lines.length) return null;
    // Cells of other languages and commands stay in the rest, where rules of lines read them.
    const own = isCode && !OTHER_CELL.test(String(source[0])) ? source.map(String) : [];
    for (const [at, line] of own.entries()) if (!isCommand(line)) code.set(next + at + 2, withoutMagic(line));
    next += source.length;
  }
  return code;
}

/** Whether the lines after this one are these strings. */
function isSource(lines: readonly string[], opening: number, source: readonly unknown[]): boolean {
  return OPENS.test(lines[opening] ?? "") && source.every((text, at) => stringOf(lines[opening + 1 + at]) === text);
}

/** The string that is all of a line and has one line of code; else null. */
function stringOf(line: string | undefined): string | null {
  const [, string] = STRING.exec(line ?? "") ?? [];
  try {
    const text = string === undefined ? null : (JSON.parse(string) as string);
    return text === null || MORE_LINES.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Any other beginning runs Python or writes it to a file: `%%time`, `%%writefile`. */
const OTHER_CELL =
  /^%%(?:bash|sh|zsh|cmd|system|sx|script(?! *python)|html|svg|javascript|js|latex|markdown|perl|ruby|sql|bigquery|r|julia|cython)\b/i;

/** Commands of the notebook (`%cd`, `!pip install`) are no code of its language. */
function isCommand(line: string): boolean {
  return /^\s*[%!?]/.test(line) && !MAGIC.test(line);
}

/** Magic words before code that runs. */
const MAGIC = /^(\s*)%(?:time|timeit|prun|memit|mprun|lprun|debug)(?:\s+-\w+(?:\s+\d+)?)*\s(?=\S)/;

function withoutMagic(line: string): string {
  return line.replace(/\n$/, "").replace(MAGIC, "$1");
}
