// Blocks of one section put together into parts of a size that one vector can stand for.
import type { Block } from "./markdown-blocks.ts";

export interface Part {
  readonly blocks: readonly Block[];
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** Some 250 words: published chunkers use 200–400. */
export const MAX_PART = 1_200;
/** A code block is kept whole up to here; beyond, it is data. As every stored piece of code. */
export const MAX_CODE = 4_000;

/**
 * Parts of at most 1,200 characters, in order. A block is not split, unless it is longer than that by itself: prose at
 * line ends and then at spaces; code only beyond 4,000 characters, at line ends.
 */
export function packBlocks(blocks: readonly Block[]): Part[] {
  const parts: Part[] = [];
  let open: Block[] = [];
  let length = 0;
  const close = () => {
    if (open.length > 0) parts.push(partOf(open));
    open = [];
    length = 0;
  };
  for (const block of blocks.flatMap(cut)) {
    const size = sizeOf(block);
    // A heading is never left alone at the end of a part.
    const afterHeading = open.every(({ kind }) => kind === "heading");
    if (length + size > MAX_PART && !(afterHeading && size <= MAX_PART)) close();
    open.push(block);
    length += size;
  }
  close();
  return parts;
}

function partOf(blocks: readonly Block[]): Part {
  const first = blocks[0]?.row ?? 0;
  const last = blocks.at(-1);
  const lines: string[] = [];
  let next = first;
  for (const block of blocks) {
    // Blank lines between blocks are folded into one.
    if (block.row > next) lines.push("");
    lines.push(...block.lines);
    next = block.row + block.lines.length;
  }
  return {
    blocks,
    startLine: first + 1,
    endLine: last === undefined ? first + 1 : lastRow(last) + 1,
    text: lines.join("\n"),
  };
}

function lastRow(block: Block): number {
  return block.row + block.lines.length - 1;
}

function sizeOf(block: Block): number {
  return block.lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** A block in pieces that fit. */
function cut(block: Block): Block[] {
  const max = block.kind === "code" ? MAX_CODE : MAX_PART;
  if (sizeOf(block) <= max) return [block];
  const pieces: Block[] = [];
  let lines: string[] = [];
  let row = block.row;
  let length = 0;
  const close = (next: number) => {
    if (lines.length > 0) pieces.push({ ...block, row, lines });
    lines = [];
    length = 0;
    row = next;
  };
  block.lines.forEach((line, index) => {
    for (const piece of cutLine(line, max)) {
      if (length + piece.length + 1 > max) close(block.row + index);
      lines.push(piece);
      length += piece.length + 1;
    }
  });
  close(block.row);
  return pieces;
}

/** A line in pieces of fewer than `max` characters, at spaces where there are any. */
function cutLine(line: string, max: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from >= max) {
    const space = line.slice(from, from + max - 1).lastIndexOf(" ");
    let to = from + (space > max / 2 ? space + 1 : max - 1);
    // Not between the halves of one character.
    if (/[\uD800-\uDBFF]/.test(line.charAt(to - 1))) to -= 1;
    pieces.push(line.slice(from, to));
    from = to;
  }
  return [...pieces, line.slice(from)];
}
