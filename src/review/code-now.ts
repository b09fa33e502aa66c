// The code of the reviewed files as it is compared with what was said: tokens by file and side, made when asked for.
import { type NumberedLine, type TokenStream, tokenStream } from "../domain/code-shape.ts";
import type { FileDiff, Side } from "../domain/pull-request.ts";

export interface CodeNow {
  /** Reviewed paths. */
  readonly paths: readonly string[];
  /** Null for a path that is not reviewed. */
  stream(path: string, side: Side): TokenStream | null;
  /** The tokens that stand in a file at all. */
  vocabulary(path: string, side: Side): ReadonlySet<number>;
  /** The path of a file in the base where it differs, else null. */
  previousPath(path: string): string | null;
}

/** RIGHT is the whole head file where its text is known, else its hunks; LEFT is the hunks. */
export function codeNow(files: readonly FileDiff[], headTexts: ReadonlyMap<string, string>): CodeNow {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const made = new Map<string, TokenStream>();
  const vocabularies = new Map<string, ReadonlySet<number>>();
  const stream = (path: string, side: Side): TokenStream | null => {
    const file = byPath.get(path);
    if (file === undefined) return null;
    const key = `${side} ${path}`;
    const known = made.get(key) ?? tokenStream(linesOf(file, side, headTexts.get(path) ?? null));
    made.set(key, known);
    return known;
  };
  return {
    paths: files.map(({ path }) => path),
    stream,
    vocabulary(path, side) {
      const key = `${side} ${path}`;
      const known = vocabularies.get(key) ?? new Set(stream(path, side)?.tokens);
      vocabularies.set(key, known);
      return known;
    },
    previousPath: (path) => byPath.get(path)?.previousPath ?? null,
  };
}

function linesOf(file: FileDiff, side: Side, headText: string | null): readonly NumberedLine[] {
  if (side === "RIGHT" && headText !== null) {
    return headText.split("\n").map((text, index) => ({ line: index + 1, text }));
  }
  return file.hunks.flatMap(({ lines }) =>
    lines.flatMap(({ oldLine, newLine, text }) => {
      const line = side === "LEFT" ? oldLine : newLine;
      return line === null ? [] : [{ line, text }];
    }),
  );
}
