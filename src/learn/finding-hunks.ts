// The code that findings are about, as GitHub shows it above a comment: the hunk from its `@@` down to the finding's last
// line. A whole hunk is redacted before it is cut, so that no half of a secret is left over.
import type { Finding } from "../domain/finding.ts";
import type { FileDiff, Hunk, Side } from "../domain/pull-request.ts";
import type { FindingHunk } from "../domain/review.ts";
import { cutHunk } from "./cut-hunk.ts";
import type { Redact } from "./redact-record.ts";

/**
 * @param redact keeps the number of lines
 * @returns one a finding that stands on a line of the diff, at most 4,000 characters each; the others have none
 */
export async function findingHunks(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  redact: Redact,
): Promise<readonly FindingHunk[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const redacted = new Map<Hunk, Promise<readonly string[]>>();
  const linesOf = (hunk: Hunk): Promise<readonly string[]> => {
    const lines = redacted.get(hunk) ?? hunkLines(hunk, redact);
    redacted.set(hunk, lines);
    return lines;
  };
  const found: FindingHunk[] = [];
  for (const { id, path, side, line } of findings) {
    const at = place(byPath.get(path)?.hunks ?? [], side, line);
    if (at === null) continue;
    // The `@@` line comes before the first.
    const lines = (await linesOf(at.hunk)).slice(0, at.index + 2);
    found.push({ findingId: id, hunk: cutHunk(lines.join("\n")) });
  }
  return found;
}

function place(hunks: readonly Hunk[], side: Side, line: number): { hunk: Hunk; index: number } | null {
  for (const hunk of hunks) {
    const index = hunk.lines.findIndex(({ oldLine, newLine }) => (side === "RIGHT" ? newLine : oldLine) === line);
    if (index !== -1) return { hunk, index };
  }
  return null;
}

const MARKS = { context: " ", added: "+", removed: "-" } as const;

async function hunkLines(hunk: Hunk, redact: Redact): Promise<readonly string[]> {
  const { oldStart, oldLines, newStart, newLines, section, lines } = hunk;
  // Without the marks: a key of many lines is known by its lines, and a mark before each would hide it.
  const text = await redact([section, ...lines.map((line) => line.text)].join("\n"));
  const [heading = "", ...texts] = text.split("\n");
  const header = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === "" ? "" : ` ${heading}`}`;
  return [header, ...lines.map(({ kind }, at) => `${MARKS[kind]}${texts[at] ?? ""}`)];
}
