// Cuts the known lines of an SQL file into statements, without comments and without the bodies of functions.
import { knownLines, oncePerFile } from "../known-lines.ts";

export interface SqlStatement {
  /** The head line on which it begins. */
  readonly startLine: number;
  /** Without comments, white space folded, no closing `;`. At most 10,000 characters. */
  readonly text: string;
  /** True when its `;` was seen. */
  readonly complete: boolean;
}

const LONGEST = 10_000;
/** Larger files are dumps, not statements that a person wrote. */
const LARGEST = 300_000;
const MARK = /--|\/\*|['"`;]|\$\w{0,60}\$/g;

/** Statements in order; lines that do not follow one another in the file never make one statement. */
export const sqlStatements = oncePerFile((file): readonly SqlStatement[] => {
  const size = knownLines(file).reduce((sum, { text }) => sum + text.length + 1, 0);
  if (size > LARGEST) return [];
  const statements: SqlStatement[] = [];
  let run: string[] = [];
  let first = 0;
  for (const { line, text } of knownLines(file)) {
    if (run.length > 0 && line !== first + run.length) {
      statements.push(...cut(run.join("\n"), first));
      run = [];
    }
    if (run.length === 0) first = line;
    run.push(text);
  }
  return [...statements, ...cut(run.join("\n"), first)];
});

/** One pass: from mark to mark, and over whatever a mark opens. */
function cut(text: string, first: number): readonly SqlStatement[] {
  const statements: SqlStatement[] = [];
  let parts: string[] = [];
  let startLine = 0;
  let line = first;
  const keep = (from: number, to: number) => {
    const part = text.slice(from, to);
    if (startLine === 0 && part.trim() !== "") startLine = line + breaks(part.slice(0, part.search(/\S/)));
    parts.push(part.slice(0, LONGEST));
    line += breaks(part);
  };
  const close = (complete: boolean) => {
    const folded = parts.join(" ").slice(0, LONGEST).replace(/\s+/g, " ").trim();
    if (folded !== "") statements.push({ startLine, text: folded, complete });
    parts = [];
    startLine = 0;
  };
  let at = 0;
  while (at < text.length) {
    MARK.lastIndex = at;
    const mark = MARK.exec(text);
    keep(at, mark?.index ?? text.length);
    if (mark === null) break;
    at = endOf(text, mark.index, mark[0]);
    if (mark[0] === ";") close(true);
    else if (/['"`]/.test(mark[0])) keep(mark.index, at);
    else line += breaks(text.slice(mark.index, at));
  }
  close(false);
  return statements;
}

/** The offset after what a mark opens; the end of the text when it is never closed. */
function endOf(text: string, from: number, mark: string): number {
  if (mark === ";") return from + 1;
  const closing = mark === "--" ? "\n" : mark === "/*" ? "*/" : mark;
  const at = text.indexOf(closing, from + mark.length);
  return at < 0 ? text.length : at + (mark === "--" ? 0 : closing.length);
}

function breaks(text: string): number {
  return text.split("\n").length - 1;
}
