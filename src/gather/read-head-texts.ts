// Reads the head text of changed files, within the limits of a review.
import pMap, { pMapSkip } from "p-map";
import type { Degraded } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";

/** Limits of one review; files of a pull request beyond them are reviewed by their hunks only. */
interface TextLimits {
  readonly files: number;
  readonly bytesEach: number;
  readonly bytesInAll: number;
  /** Parallel requests: GitHub allows 100, and others wait too. */
  readonly atOnce: number;
}

export const TEXT_LIMITS: TextLimits = { files: 300, bytesEach: 1 << 20, bytesInAll: 30 << 20, atOnce: 6 };

interface HeadTexts {
  readonly texts: ReadonlyMap<string, string>;
  readonly degraded: readonly Degraded[];
}

/**
 * Reads the head text of each text file with added lines, in the order of the files, until a limit is reached.
 *
 * @param read the text of a path at the head; null when it is absent, binary, a link or larger than `bytesEach`. An
 * error costs only that text
 */
export async function readHeadTexts(
  files: readonly FileDiff[],
  read: (path: string) => Promise<string | null>,
  limits: TextLimits = TEXT_LIMITS,
): Promise<HeadTexts> {
  const wanted = files.filter(hasHeadText).map((file) => file.path);
  let bytes = 0;
  const ask = async (path: string) => {
    if (bytes >= limits.bytesInAll) return pMapSkip;
    const answer = await attempt(() => read(path));
    if (answer.bytes <= limits.bytesEach) bytes += answer.bytes;
    return answer;
  };
  const answers = await pMap(wanted.slice(0, limits.files), ask, { concurrency: limits.atOnce });

  const texts = new Map<string, string>();
  let room = limits.bytesInAll;
  let failed = 0;
  let unreadable = 0;
  for (const [at, answer] of answers.entries()) {
    if (answer.failed) failed++;
    else if (answer.text === null || answer.bytes > limits.bytesEach) unreadable++;
    // Stop at the first text that exceeds the rest: the result must not depend on the order of answers.
    else if (answer.bytes > room) break;
    else {
      room -= answer.bytes;
      texts.set(wanted[at] ?? "", answer.text);
    }
  }
  return { texts, degraded: degradations(wanted.length, texts.size, failed, unreadable) };
}

/** Links and submodules have no text of their own; without added lines there is nothing to comment on. */
function hasHeadText({ status, binary, additions, newMode }: FileDiff): boolean {
  return status !== "removed" && !binary && additions > 0 && newMode !== "120000" && newMode !== "160000";
}

interface Answer {
  readonly text: string | null;
  readonly bytes: number;
  readonly failed: boolean;
}

async function attempt(read: () => Promise<string | null>): Promise<Answer> {
  try {
    const text = await read();
    return { text, bytes: text === null ? 0 : new TextEncoder().encode(text).length, failed: false };
  } catch {
    return { text: null, bytes: 0, failed: true };
  }
}

function degradations(wanted: number, read: number, failed: number, unreadable: number): Degraded[] {
  const missing = wanted - read;
  if (missing === 0) return [];
  const beyond = missing - failed - unreadable;
  const causes = [
    failed > 0 ? `${failed} could not be fetched` : null,
    unreadable > 0 ? `${unreadable} absent, not text or too large` : null,
    beyond > 0 ? `${beyond} beyond the limit of one review` : null,
  ];
  const why = causes.filter((cause) => cause !== null).join(", ");
  return [{ part: "head-text", reason: `${missing} of ${wanted} files were reviewed by their hunks only: ${why}` }];
}
