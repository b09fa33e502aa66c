// The tokens of the reviewed files, by file and side, to compare earlier findings with.
import { type NumberedLine, type TokenStream, textStream, tokenStream } from "../../domain/code/code-fingerprint.ts";
import type { FileDiff, Side } from "../../domain/pull-request.ts";

export interface CodeNow {
  readonly paths: readonly string[];
  /** RIGHT is the whole head file if known, else its hunks, like LEFT. Null: not reviewed. */
  stream(path: string, side: Side): TokenStream | null;
  /** The hunks only, where code from another file shows up. Null: not reviewed. */
  hunks(path: string, side: Side): { readonly stream: TokenStream; readonly vocabulary: ReadonlySet<number> } | null;
  previousPath(path: string): string | null;
}

/** Reads nothing before it is needed, and nothing twice. */
export function codeNow(files: readonly FileDiff[], headTexts: ReadonlyMap<string, string>): CodeNow {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const hunks = remembered(byPath, (file, side) => {
    const stream = tokenStream(hunkLines(file, side));
    return { stream, vocabulary: new Set(stream.tokens) };
  });
  const streams = remembered(byPath, (file, side) => {
    const text = side === "RIGHT" ? headTexts.get(file.path) : undefined;
    return text === undefined ? tokenStream(hunkLines(file, side)) : textStream(text);
  });
  const previousPath = (path: string) => byPath.get(path)?.previousPath ?? null;
  return { paths: files.map(({ path }) => path), stream: streams, hunks, previousPath };
}

function remembered<T>(
  files: ReadonlyMap<string, FileDiff>,
  make: (file: FileDiff, side: Side) => T,
): (path: string, side: Side) => T | null {
  const made = new Map<string, T>();
  return (path, side) => {
    const file = files.get(path);
    if (file === undefined) return null;
    const key = `${side} ${path}`;
    const known = made.get(key) ?? make(file, side);
    made.set(key, known);
    return known;
  };
}

function hunkLines({ hunks }: FileDiff, side: Side): readonly NumberedLine[] {
  return hunks.flatMap(({ lines }) =>
    lines.flatMap(({ oldLine, newLine, text }) => {
      const line = side === "LEFT" ? oldLine : newLine;
      return line === null ? [] : [{ line, text }];
    }),
  );
}
