// A finding's body as lines and fences. As with pieces, reading the written text again gives the same blocks.
import { closesFence } from "../domain/text/rendered-markdown.ts";
import {
  codePoints,
  cutPieces,
  isCommand,
  joinPieces,
  type Piece,
  readPieces,
  tame,
  visibleLength,
  writePieces,
} from "./pieces.ts";

/** A line of prose (perhaps a list item), a fenced piece of code, or the gap between two paragraphs. */
type Block =
  | { readonly kind: "line"; readonly marker: string; readonly pieces: readonly Piece[] }
  | { readonly kind: "fence"; readonly language: string; readonly lines: readonly string[] }
  | { readonly kind: "gap" };

/**
 * Languages that a fence may be coloured in. Not among them: `suggestion`, which GitHub would offer to commit, and
 * `mermaid`, `math`, `geojson`, `topojson` and `stl`, which it would draw.
 */
const LANGUAGES = new Set(
  "bash c cpp cs css csharp diff dockerfile elixir go haskell html ini java javascript js json jsx kotlin lua make makefile php python py ruby rust scala sh shell sql swift toml ts tsx typescript xml yaml yml".split(
    " ",
  ),
);

const FENCE = /^(?:`{3,}|~{3,})/;
const LIST = /^([-*+]|\d{1,9}[.)]) +(?=\S)/;

const GAP: Block = { kind: "gap" };

/** Reads text whose hidden characters are already visible. An unclosed fence ends with the text. */
export function readBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: Fence | null = null;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (fence === null) {
      fence = openFence(trimmed);
      if (fence === null) blocks.push(readLine(trimmed));
    } else if (closesFence(trimmed, fence.run)) {
      blocks.push({ kind: "fence", language: fence.language, lines: fence.lines });
      fence = null;
    } else fence.lines.push(quietCode(line));
  }
  if (fence !== null) blocks.push({ kind: "fence", language: fence.language, lines: fence.lines });
  return spaced(blocks);
}

/** Writes blocks as Markdown. */
export function writeBlocks(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "gap") return "";
      if (block.kind === "fence") return writeFence(block.language, block.lines);
      return block.marker + writePieces(block.pieces, "kept");
    })
    .join("\n");
}

/** Code in a fence longer than any run of backticks inside; `lines` as they are. */
export function writeFence(language: string, lines: readonly string[]): string {
  let longest = 2;
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...lines, fence].join("\n");
}

/** A line of code that no bot obeys and that holds no marker of ours: a command moves one column to the right. */
export function quietCode(line: string): string {
  const unmarked = line.replaceAll("<!-- kodiai:", "<! -- kodiai:");
  return isCommand(unmarked) ? ` ${unmarked}` : unmarked;
}

/** The visible length in code points; a line end counts as one. */
export function blockLength(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + lengthOf(block), 0);
}

/** Cuts blocks to at most `limit`, including the note about the cut. */
export function cutBlocks(blocks: readonly Block[], limit: number, note: string): readonly Block[] {
  const kept: Block[] = [];
  // Two line ends: of the note's own line and of a fence that is closed early.
  let left = limit - note.length - 2;
  for (const block of blocks) {
    if (lengthOf(block) > left) {
      kept.push(...cutBlock(block, left));
      break;
    }
    kept.push(block);
    left -= lengthOf(block);
  }
  return spaced([...kept, { kind: "gap" }, { kind: "line", marker: "", pieces: [{ kind: "text", text: note }] }]);
}

function cutBlock(block: Block, left: number): Block[] {
  if (block.kind === "gap") return [];
  if (block.kind === "line")
    return [readableLine(block.marker, cutPieces(block.pieces, left - block.marker.length - 1))];
  const lines: string[] = [];
  let rest = left - 1;
  for (const line of block.lines) {
    rest -= codePoints(line) + 1;
    if (rest < 0) break;
    lines.push(line);
  }
  return [{ kind: "fence", language: block.language, lines }];
}

function readLine(trimmed: string): Block {
  const list = LIST.exec(trimmed);
  const marker = list?.[1] === undefined ? "" : `${/\d/.test(list[1]) ? list[1] : "-"} `;
  return readableLine(marker, readPieces(trimmed.slice(list?.[0].length ?? 0)));
}

function readableLine(marker: string, pieces: readonly Piece[]): Block {
  const tamed = tame(joinPieces(pieces));
  return tamed.length === 0 ? { kind: "gap" } : { kind: "line", marker, pieces: tamed };
}

interface Fence {
  readonly run: string;
  readonly language: string;
  readonly lines: string[];
}

function openFence(trimmed: string): Fence | null {
  const run = FENCE.exec(trimmed)?.[0];
  if (run === undefined) return null;
  const rest = trimmed.slice(run.length).trim();
  if (run.startsWith("`") && rest.includes("`")) return null;
  const language = rest.slice(0, 20).toLowerCase();
  return { run, language: LANGUAGES.has(language) ? language : "", lines: [] };
}

/** One gap between paragraphs, one around every fence, none at the ends; empty fences are dropped. */
function spaced(blocks: readonly Block[]): readonly Block[] {
  const full = blocks.filter((block) => block.kind !== "fence" || block.lines.some((line) => line.trim() !== ""));
  const apart = full.flatMap((block): Block[] => (block.kind === "fence" ? [GAP, block, GAP] : [block]));
  const single = apart.filter(
    (block, index) => block.kind !== "gap" || (index > 0 && apart[index - 1]?.kind !== "gap"),
  );
  return single.at(-1)?.kind === "gap" ? single.slice(0, -1) : single;
}

function lengthOf(block: Block): number {
  if (block.kind === "gap") return 0;
  if (block.kind === "line") return block.marker.length + visibleLength(block.pieces) + 1;
  return block.lines.reduce((sum, line) => sum + codePoints(line) + 1, 1);
}
