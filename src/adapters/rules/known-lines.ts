// The head side of a file as far as it is known: the whole text, or the lines that the hunks show.
import type { DiffLine, FileDiff } from "../../domain/pull-request.ts";
import type { InspectedFile } from "../../ports.ts";

export interface KnownLine {
  /** 1-based line of the head file. */
  readonly line: number;
  /** Without a closing CR. */
  readonly text: string;
  readonly added: boolean;
}

/** Reads something from each file once, whichever rule asks first. */
export function oncePerFile<T extends object>(read: (file: InspectedFile) => T): (file: InspectedFile) => T {
  const known = new WeakMap<InspectedFile, T>();
  return (file) => {
    const value = known.get(file) ?? read(file);
    known.set(file, value);
    return value;
  };
}

/** Head lines in order: all, or where only hunks are known their context and added lines. */
export const knownLines = oncePerFile((file): readonly KnownLine[] => {
  if (file.headText === null) {
    return file.diff.hunks.flatMap(({ lines }) =>
      lines.flatMap(({ kind, newLine, text }) =>
        newLine === null ? [] : [{ line: newLine, text: withoutReturn(text), added: kind === "added" }],
      ),
    );
  }
  const added = addedNumbers(file.diff);
  const texts = file.headText.split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, at) => ({ line: at + 1, text: withoutReturn(text), added: added.has(at + 1) }));
});

/** Only what the change adds. */
export const addedLines = oncePerFile((file) => knownLines(file).filter((line) => line.added));

/** Lines of the diff of one kind. */
export function linesOfKind({ hunks }: FileDiff, kind: DiffLine["kind"]): readonly DiffLine[] {
  return hunks.flatMap(({ lines }) => lines.filter((line) => line.kind === kind));
}

/** Head lines that the change adds, 1-based. */
export function addedNumbers(diff: FileDiff): ReadonlySet<number> {
  return new Set(linesOfKind(diff, "added").flatMap(({ newLine }) => newLine ?? []));
}

/** Texts of the known head lines by line, without line endings. */
export const lineTexts = oncePerFile((file) => new Map(knownLines(file).map(({ line, text }) => [line, text])));

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
