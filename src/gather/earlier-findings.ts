// Collects the earlier findings of a pull request: the ledger has their code, the comments show
// which of them are posted. Either alone suffices not to report a finding again.
import { type CodeShape, shapeOf, tokenStream } from "../domain/code/code-fingerprint.ts";
import type { OwnComment } from "../domain/pull-request.ts";
import type { EarlierFinding } from "../domain/review/review-history.ts";

interface EarlierFindings {
  readonly review: { readonly said: readonly EarlierFinding[] };
  readonly posted: boolean;
}

/** With more findings than this, a repetition does not matter. */
const MOST_SAID = 500;

/**
 * All earlier findings, each once.
 *
 * @param earlier newest first; the last posted review has all findings before it. Of a review that
 * was superseded while it was posted, findings with a comment count
 * @param comments ours that exist; null when they could not be read. A finding without a comment is
 * from now on in the summary
 */
export function earlierFindings(
  earlier: readonly EarlierFindings[],
  comments: readonly OwnComment[] | null,
): readonly EarlierFinding[] {
  const own = comments ?? [];
  const byFinding = new Map(own.map((comment) => [comment.findingId, comment]));
  const said = new Map<string, EarlierFinding>();
  for (const one of earlier.find(({ posted }) => posted)?.review.said ?? []) said.set(one.finding.id, one);
  for (const one of earlier.flatMap(({ posted, review }) => (posted ? [] : review.said))) {
    if (byFinding.has(one.finding.id) && !said.has(one.finding.id)) said.set(one.finding.id, one);
  }
  for (const comment of own) if (!said.has(comment.findingId)) said.set(comment.findingId, recovered(comment));
  return [...said.values()].slice(-MOST_SAID).map((one): EarlierFinding => {
    const url = byFinding.get(one.finding.id)?.url ?? null;
    return { ...one, place: url === null && comments !== null ? "summary" : one.place, url };
  });
}

/** The finding that a comment shows, without its category. */
function recovered({
  findingId,
  path,
  side,
  startLine,
  line,
  hunk,
  title,
  severity,
  rule,
}: OwnComment): EarlierFinding {
  const place = { side, startLine: startLine ?? 1, line: line ?? 1 };
  return {
    finding: {
      id: findingId,
      path,
      ...place,
      severity: severity ?? "medium",
      category: "correctness",
      rule,
      title: title === "" ? "A finding of an earlier push" : title,
      body: "",
      source: rule === null ? "memory" : "rule",
      confidence: 0.5,
      suggestion: null,
      precedents: [],
      ...(line === null ? { locMethod: "none" } : {}),
    },
    place: line === null ? "file" : "inline",
    shape: line === null ? { before: [], at: [], after: [] } : hunkShape(hunk, side, place.startLine, line),
    url: null,
    recovered: true,
  };
}

/** A hunk's last row is the commented line; the rows above it are numbered backwards. */
function hunkShape(hunk: string, side: "LEFT" | "RIGHT", startLine: number, line: number): CodeShape {
  const other = side === "LEFT" ? "+" : "-";
  const rows = hunk.split("\n").filter((row) => !/^(?:@@|\\)/.test(row) && !row.startsWith(other));
  const numbered = rows.map((row, index) => ({ line: line - rows.length + 1 + index, text: row.slice(1) }));
  return shapeOf(tokenStream(numbered), startLine, line);
}
