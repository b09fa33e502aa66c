// Turns a posted finding into a memory. Its outcome is `posted`: no one has judged it yet.
import type { Finding } from "../../domain/finding.ts";
import type { Repo } from "../../domain/job.ts";
import { findingSource, type MemoryRecord } from "../../domain/memory.ts";
import type { DiffLine, FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { FindingHunk, PostedReview } from "../../domain/review.ts";
import { newRecord } from "./new-record.ts";
import { cutHunk, type Redact } from "./redact-record.ts";

interface PostedWhere {
  readonly repo: Repo;
  readonly pull: number;
  readonly headSha: string;
  /** Of the comment, or of the review or summary that contains it. */
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Our account: `kodiai[bot]`; null on the command line. */
  readonly author: string | null;
  /** Canonical id, `unknown` when undetermined. */
  readonly language: string;
  /** The diff around the finding's lines, or null. */
  readonly hunk: string | null;
}

/**
 * The memory of a finding. Its source is the finding on its pull request: posted again there it is
 * the same memory, on another pull request it is another, because people may respond differently.
 */
export function fromFinding(finding: Finding, where: PostedWhere): MemoryRecord {
  const { repo, pull, url, author, at, headSha: sha, language, hunk } = where;
  const { title, body, severity, category, path } = finding;
  return newRecord(repo, "finding", findingSource(pull, finding.id), {
    text: body.trim() === "" ? title : `${title}\n\n${body}`,
    severity,
    category,
    path,
    language,
    hunk: hunk === null ? null : cutHunk(hunk),
    outcome: "posted",
    provenance: { url, author, authorIsBot: true, sha, pull, at },
  });
}

/** The memories of a review's new findings, without those already on the pull request. */
export function recordsOfFindings(posted: PostedReview, facts: Pick<PostedWhere, "at" | "author">): MemoryRecord[] {
  const { review, findings, reviewUrl, summaryUrl } = posted;
  const hunks = new Map(review.hunks.map(({ findingId, hunk }) => [findingId, hunk]));
  const languages = new Map(review.signals.files.map(({ path, language }) => [path, language]));
  return findings
    .filter(({ place }) => place !== "already-posted")
    .map(({ finding, place }) =>
      fromFinding(finding, {
        repo: review.repo,
        pull: review.number,
        headSha: review.headSha,
        url: place === "summary" ? summaryUrl : (reviewUrl ?? summaryUrl),
        ...facts,
        language: languages.get(finding.path) ?? "unknown",
        hunk: hunks.get(finding.id) ?? null,
      }),
    );
}

/**
 * The code of findings, as GitHub shows it above a comment: the hunk from its `@@` down to the
 * finding's last line. A whole hunk is redacted before it is cut, so that no half of a secret is
 * left.
 *
 * @param redact keeps the number of lines
 * @returns one for each finding on a line of the diff, at most 4,000 characters each
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
    const isAt = ({ oldLine, newLine }: DiffLine) => (side === "RIGHT" ? newLine : oldLine) === line;
    const hunk = byPath.get(path)?.hunks.find(({ lines }) => lines.some(isAt));
    if (hunk === undefined) continue;
    // The `@@` line comes before the first.
    const lines = (await linesOf(hunk)).slice(0, hunk.lines.findIndex(isAt) + 2);
    found.push({ findingId: id, hunk: cutHunk(lines.join("\n")) });
  }
  return found;
}

const MARKS = { context: " ", added: "+", removed: "-" } as const;

async function hunkLines(hunk: Hunk, redact: Redact): Promise<readonly string[]> {
  const { oldStart, oldLines, newStart, newLines, section, lines } = hunk;
  // Without the marks, which would hide a key of several lines.
  const text = await redact([section, ...lines.map((line) => line.text)].join("\n"));
  const [heading = "", ...texts] = text.split("\n");
  const header = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === "" ? "" : ` ${heading}`}`;
  return [header, ...lines.map(({ kind }, at) => `${MARKS[kind]}${texts[at] ?? ""}`)];
}
