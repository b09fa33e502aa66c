// The findings that have no comment on their lines, each with the reason, grouped by severity.
import { SEVERITIES } from "../domain/finding.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
import { fitList } from "./fit-list.ts";
import { linkedCode, permalink, safeUrl } from "./permalink.ts";
import { findingTitle, silence } from "./render-comment.ts";
import { sanitizeBlock, sanitizeInline } from "./sanitize.ts";

/** Code points of a body: many findings share the summary. */
const BODY_SHOWN = 1000;

/**
 * Findings below the verdict: those of rules before those of the model, which has no end of words; each most severe first.
 * A finding of the summary is told in full, because nowhere else is it; one that does not fit in full, that has a comment
 * on its file, or that was posted earlier, in a line.
 *
 * @param room UTF-16 units
 */
export function below(review: Review, findings: readonly PlacedFinding[], room: number): readonly string[] {
  const elsewhere = findings.filter(({ place }) => place !== "inline");
  const rulesFirst = [true, false].flatMap((ofRules) =>
    SEVERITIES.flatMap((severity) =>
      elsewhere.filter(({ finding }) => (finding.source === "rule") === ofRules && finding.severity === severity),
    ),
  );
  const full = rulesFirst.filter(({ place }) => place === "summary");
  const short = rulesFirst.filter(({ place }) => place !== "summary");
  const told = fitted(full, (placed) => inFull(review, placed), room * 0.7);
  const more = (count: number) => `- and ${count} more that did not fit here; \`kodiai review\` lists all of them`;
  const lines = [...full.slice(told.length), ...short];
  return [
    ...told.flatMap((text) => [text, ""]),
    ...fitList(lines, (placed) => `- ${inOneLine(review, placed)}`, room * 0.25, 200, more),
  ];
}

/** The first texts that fit together. A text of its own paragraph takes two line ends. */
function fitted(
  findings: readonly PlacedFinding[],
  write: (placed: PlacedFinding) => string,
  room: number,
): readonly string[] {
  const told: string[] = [];
  let left = room;
  for (const placed of findings) {
    const text = write(placed);
    left -= text.length + 2;
    if (left < 0) break;
    told.push(text);
  }
  return told;
}

/** The finding's place as code, linked where the host has pages and the side is the head's. */
export function placeOf(review: Review, placed: Pick<PlacedFinding, "finding">): string {
  const { finding } = placed;
  const text =
    finding.startLine === finding.line
      ? `${finding.path}:${finding.line}`
      : `${finding.path}:${finding.startLine}-${finding.line}`;
  const isInvented = finding.source === "model" && !review.reviewed.includes(finding.path);
  // Lines of the base are those of the merge base, whose commit we do not hold.
  const url =
    finding.side === "LEFT" || isInvented ? null : permalink(review.repo, review.headSha, finding.path, finding);
  return linkedCode(text, url);
}

function inFull(review: Review, placed: PlacedFinding): string {
  const body = sanitizeBlock(placed.finding.body, BODY_SHOWN);
  return [inOneLine(review, placed), body, silence(placed.finding)].filter((part) => part !== "").join("\n\n");
}

function inOneLine(review: Review, placed: PlacedFinding): string {
  return `${findingTitle(placed.finding)} ${placeOf(review, placed)}${comment(review, placed)}${reason(placed)}`;
}

/** The comment that stands about a finding of an earlier push, where its address is known. */
function comment({ repo, said }: Review, { finding, place }: PlacedFinding): string {
  if (place !== "already-posted") return "";
  const url = said.find((one) => one.finding.id === finding.id)?.url ?? null;
  const address = url === null ? null : safeUrl(repo, url);
  return address === null ? "" : ` ([comment](${address}))`;
}

function reason(placed: PlacedFinding): string {
  return placed.reason === null ? "" : ` — ${sanitizeInline(placed.reason, 200)}`;
}
