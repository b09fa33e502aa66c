// The head side of a file as far as it is known: the whole text, or the lines that the hunks show.
import type { InspectedFile } from "../../../ports.ts";

export interface KnownLine {
  /** 1-based line of the head file. */
  readonly line: number;
  /** Without a closing CR. */
  readonly text: string;
  readonly added: boolean;
}

/** Lines longer than this were not written by a person (minified code, data): patterns about code skip them. */
export const LONGEST_WRITTEN_LINE = 4000;

const remembered = new WeakMap<InspectedFile, readonly KnownLine[]>();
const rememberedAdded = new WeakMap<InspectedFile, readonly KnownLine[]>();

/** Head lines in order: all of them when the head text is known, else context and added lines of the hunks (with gaps). */
export function knownLines(file: InspectedFile): readonly KnownLine[] {
  const earlier = remembered.get(file);
  if (earlier !== undefined) return earlier;
  const lines = file.headText === null ? fromHunks(file) : fromHead(file, file.headText);
  remembered.set(file, lines);
  return lines;
}

/** Only what the change adds. */
export function addedLines(file: InspectedFile): readonly KnownLine[] {
  const earlier = rememberedAdded.get(file);
  if (earlier !== undefined) return earlier;
  const lines = knownLines(file).filter((line) => line.added);
  rememberedAdded.set(file, lines);
  return lines;
}

function fromHunks(file: InspectedFile): readonly KnownLine[] {
  const lines: KnownLine[] = [];
  for (const hunk of file.diff.hunks)
    for (const { kind, newLine, text } of hunk.lines)
      if (newLine !== null) lines.push({ line: newLine, text: withoutReturn(text), added: kind === "added" });
  return lines;
}

function fromHead(file: InspectedFile, headText: string): readonly KnownLine[] {
  const added = new Set<number>();
  for (const hunk of file.diff.hunks)
    for (const { kind, newLine } of hunk.lines) if (kind === "added" && newLine !== null) added.add(newLine);
  const texts = headText.split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, at) => ({ line: at + 1, text: withoutReturn(text), added: added.has(at + 1) }));
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
