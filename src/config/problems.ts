// What is wrong in a .kodiai.yml, with its place.
import { cutText } from "../domain/text/cut-text.ts";
import type { ConfigProblem } from "./repo-config.ts";

/** A problem without its file. */
export type Trouble = Omit<ConfigProblem, "file">;

/** Where something begins; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Keys and list positions from the root to a value. */
export type Path = readonly (string | number)[];

/** Longest key that is quoted in full; ours have at most 19 characters. */
const MAX_SHOWN = 60;

/**
 * A word of the file, safe to quote in a message: control, invisible and direction characters and
 * backticks become "?", and it is cut at 60 UTF-16 units.
 */
export function shown(word: string): string {
  const start = cutText(word, MAX_SHOWN);
  const clean = start.replace(/[\p{C}\p{Z}`]/gu, (char) => (char === " " ? " " : "?"));
  return start.length < word.length ? `${clean}…` : clean;
}

/** A path in the dotted form that people write: `customRules[0].id`; "" for the root. */
export function dotted(path: Path): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? shown(part) : `${text}.${shown(part)}`,
    "",
  );
}

export function trouble(
  path: Path,
  place: Place | null,
  message: string,
  severity: Trouble["severity"] = "error",
): Trouble {
  return { key: dotted(path), line: place?.line ?? null, column: place?.column ?? null, severity, message };
}

/** As compilers print it, for editors: `.kodiai.yml:3:12: error: review.maxComments: must be …`. */
export function problemLine(problem: ConfigProblem): string {
  const place = problem.line === null ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const key = problem.key === "" ? "" : `${problem.key}: `;
  return `${problem.file}${place}: ${problem.severity}: ${key}${problem.message}`;
}
