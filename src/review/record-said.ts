// What this review adds to all that was said on the pull request, with the code it is about, for the reviews after it.
import { shapeOf } from "../domain/code/code-fingerprint.ts";
import type { Finding } from "../domain/finding.ts";
import type { Said } from "../domain/review/review-history.ts";
import type { PlacedFinding } from "../domain/review.ts";
import type { CodeNow } from "./code-now.ts";
import type { LocatedSaid } from "./locate-said.ts";

/** As many as gather takes back. */
const MOST_SAID = 500;

/**
 * Everything that was said, each finding at its newest place: what was said before in its old order, then what is new.
 *
 * @param findings of this review as they are placed
 * @param located what was said before
 */
export function recordSaid(
  findings: readonly PlacedFinding[],
  located: readonly LocatedSaid[],
  code: CodeNow,
): readonly Said[] {
  const placed = new Map(findings.map((one) => [one.finding.id, one]));
  const before = located.map(({ said, place }) => {
    const now = placed.get(said.finding.id)?.finding;
    const at = now ?? place;
    if (at === null || at === undefined) return said;
    // What was found again in edited code is known by that code from here on.
    const found = now !== undefined || place?.as === "same";
    return found ? { ...said, ...moved(said, at, code) } : said;
  });
  const known = new Set(before.map(({ finding }) => finding.id));
  const fresh = findings.flatMap(({ finding, place }): Said[] =>
    place === "already-posted" || known.has(finding.id)
      ? []
      : [{ finding: withoutPrecedents(finding), place, shape: shapeAt(finding, code), url: null }],
  );
  return [...before, ...fresh].slice(-MOST_SAID);
}

type Place = Pick<Finding, "path" | "startLine" | "line">;

function moved(said: Said, { path, startLine, line }: Place, code: CodeNow): Pick<Said, "finding" | "shape"> {
  const finding = { ...said.finding, path, startLine, line };
  const shape = shapeAt(finding, code);
  return { finding, shape: shape.at.length === 0 ? said.shape : shape };
}

function shapeAt(finding: Finding, code: CodeNow): Said["shape"] {
  const stream = finding.locMethod === "none" ? null : code.stream(finding.path, finding.side);
  return stream === null ? { before: [], at: [], after: [] } : shapeOf(stream, finding.startLine, finding.line);
}

/** Memory keeps what memory said. */
function withoutPrecedents(finding: Finding): Finding {
  return { ...finding, precedents: [] };
}
