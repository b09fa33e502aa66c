// Code that a finding was about, as both stores keep it: hashes of its tokens, four bytes each.
import type { CodeShape } from "../../domain/code-shape.ts";
import type { Category, Severity } from "../../domain/finding.ts";
import type { Flagged } from "../../domain/flagged.ts";

/** The most that are told of one question, the newest. */
export const MOST_FLAGGED = 2_000;

export interface FlaggedRow {
  readonly mem: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  readonly severity: Severity;
  readonly rule: string | null;
  readonly text: string;
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly said_at: number;
  readonly outcome: string | null;
  readonly fixed_at: number | null;
  readonly before: Buffer;
  readonly at: Buffer;
  readonly after: Buffer;
}

/** `FlaggedRow` over `r` (records), `f` (flagged) and `c` (contents). */
export const FLAGGED_COLUMNS = `r.mem, r.pull, r.path, r.category, r.severity, f.rule, c.text, c.url, r.at AS said_at, r.outcome,
  f.fixed_at, f.before, f.at, f.after`;

export function asFlagged(row: FlaggedRow): Flagged {
  const { mem, pull, path, category, severity, rule, text, url, said_at: at } = row;
  return {
    ...{ memoryId: mem, pull, path, category, severity, rule, url, at },
    title: text.split("\n", 1)[0] ?? "",
    shape: { before: tokensOf(row.before), at: tokensOf(row.at), after: tokensOf(row.after) },
    // An outcome that people gave has no date of its own here: the day on which it was said stands for it.
    fixedAt: row.fixed_at ?? (row.outcome === "fixed" ? at : null),
  };
}

/** As a row keeps tokens; tokensOf reads them back. */
export function bytesOf(tokens: CodeShape["at"]): Buffer {
  return Buffer.from(Uint32Array.from(tokens).buffer);
}

/** Copied: a row's bytes need not begin where numbers of four bytes may. */
export function tokensOf(bytes: Buffer): readonly number[] {
  return [...new Uint32Array(new Uint8Array(bytes).buffer, 0, bytes.length >>> 2)];
}
