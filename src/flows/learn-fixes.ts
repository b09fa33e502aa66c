// What became of flagged code, kept beside the finding: the lines as they were spoken about, and as they are since.
import type { Repo } from "../domain/job.ts";
import { type Outcome, repoKey } from "../domain/memory.ts";
import type { Said } from "../domain/review/review-history.ts";
import { fixPairOf, type weigh } from "../learn/learn.ts";
import type { EvidenceShelf, KnownFix, RememberedFinding } from "../ports/feedback.ts";
import type { PullRequests } from "../ports.ts";

/** A finding whose lines are no longer what they were. */
export interface ChangedFinding {
  readonly remembered: RememberedFinding;
  readonly said: Said;
  /** Its file at the newest head. */
  readonly now: string;
}

interface FixPorts {
  readonly pulls: Pick<PullRequests, "text">;
  readonly evidence: Pick<EvidenceShelf, "keepFixes">;
  readonly redact: (text: string) => Promise<string>;
}

/** Files that are read as they were, in one run, and the size of each. */
const MOST_FILES = 50;
const MOST_BYTES = 1 << 20;
/** Outcomes that do not speak against the finding. */
const TELLING: ReadonlySet<Outcome> = new Set(["fixed", "accepted", "outdated"]);

/**
 * Keeps flagged and fixed code of the findings that have none yet. What cannot be found is left out: it is looked for again
 * with the next look at the pull request.
 *
 * @returns how many
 * @throws Transient
 */
export async function learnFixes(
  repo: Repo,
  changed: readonly ChangedFinding[],
  weighed: ReturnType<typeof weigh>,
  { pulls, evidence, redact }: FixPorts,
): Promise<number> {
  const texts = new Map<string, Promise<string | null>>();
  const textThen = (path: string, sha: string): Promise<string | null> => {
    const key = `${sha} ${path}`;
    if (!texts.has(key) && texts.size >= MOST_FILES) return Promise.resolve(null);
    const reading = texts.get(key) ?? pulls.text(repo, path, sha, MOST_BYTES);
    texts.set(key, reading);
    return reading;
  };
  const fixes: KnownFix[] = [];
  for (const { remembered, said, now } of changed) {
    const { outcome = "posted", isChanged = false } = weighed.get(remembered.id) ?? {};
    // A branch that does not count says nothing about the fix, whatever people agreed to.
    if (!isChanged || !TELLING.has(outcome) || remembered.hasFix || remembered.sha === null) continue;
    const then = await textThen(remembered.path ?? said.finding.path, remembered.sha);
    if (then === null) continue;
    const pair = await fixPairOf({ shape: said.shape, near: said.finding.startLine, then, now }, redact);
    if (pair !== null) fixes.push({ memoryId: remembered.id, ...pair });
  }
  if (fixes.length > 0) await evidence.keepFixes(repoKey(repo), fixes);
  return fixes.length;
}
