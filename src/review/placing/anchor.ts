// Anchors: what a model must copy to cite a line. A line number alone is often off by one; a number with a hash of the
// line is either right or known to be wrong.
import { createHash } from "node:crypto";
import type { Side } from "../../domain/pull-request.ts";

/** One line of the diff as a model cites it. */
interface Anchor {
  readonly side: Side;
  /** 1-based, on `side`. */
  readonly line: number;
  /** 4 lower-case hex digits. */
  readonly hash: string;
}

/** Hex digits: an invented hash passes once in 65,536. */
const HASH_DIGITS = 4;

/**
 * The anchor of a line: its number, `#`, and a hash over path, side, number and text. The anchor of a removed line
 * starts with a minus.
 *
 * @param line 1-based
 * @param text as in the diff, without marker and line ending
 * @returns `120#3fa1`, or `-119#77aa` on the LEFT side
 */
export function anchorOf(path: string, side: Side, line: number, text: string): string {
  return `${side === "LEFT" ? "-" : ""}${line}#${lineHash(path, side, line, text)}`;
}

/** The first 4 hex digits of SHA-256 over path, side, line number and text. */
export function lineHash(path: string, side: Side, line: number, text: string): string {
  return createHash("sha256").update(`${path}\0${side}\0${line}\0${text}`).digest("hex").slice(0, HASH_DIGITS);
}

/** Parses an anchor in the notations that models use: `L120#3fa1:`, "`-119#77AA`". Null when there is none. */
export function parseAnchor(text: string): Anchor | null {
  const match = /^[\s`"'[(]{0,4}([-+]?)[Ll]?(\d{1,9})\s?#\s?([0-9A-Fa-f]{4})(?![0-9A-Fa-f])/.exec(text);
  if (match === null) return null;
  return {
    side: match[1] === "-" ? "LEFT" : "RIGHT",
    line: Number(match[2]),
    hash: (match[3] ?? "").toLowerCase(),
  };
}
