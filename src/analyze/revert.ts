// Detects from title, body and commits which earlier change a pull request reverts.
import type { Intent } from "../domain/signals.ts";
import type { ProseLine } from "./intent-prose.ts";
import type { ParsedTitle } from "./title.ts";

/** GitHub's button and `git revert` quote the title; GitHub cuts a long one, including the closing quote. */
const QUOTED = /^revert(?:ed|s)?:? ["“](.+)$/is;
const PULL = /^reverts? (?:pr |pull request )?(?:[\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,10})(?!\w)/i;
const SHA = /^reverts? (?:commit )?([0-9a-f]{7,40})(?!\w)/i;
/** Git's own sentence, and GitHub's `Reverts owner/repo#12`; only at the start of a line, to exclude prose. */
const SENTENCE =
  /^\s{0,3}(?:[-*] )?(?:this )?(?:partially )?reverts? (?:(?:the )?(?:commits?|pr|pull request)[ :]{1,2})?(?:(?:https?:\/\/[\w.-]{1,80}\/)?[\w.-]{1,100}\/[\w.-]{1,100})?(?:(?:#|\/pull\/)(\d{1,10})|(?:\/commit\/|@)?([0-9a-f]{7,40}))(?!\w)/i;

/** Appended to the reverted title by a squash merge. */
const SQUASHED = /\(#(\d{1,10})\)$/;

/**
 * The reverted change, as far as the text names it; null for any other change.
 *
 * Unless the title mentions a revert, a description counts by its first line only, and commits only when there is just
 * one: further down, and among many commits, one change of the same pull request reverts another.
 */
export function revertOf(input: {
  readonly title: ParsedTitle;
  readonly body: readonly ProseLine[];
  readonly commits: readonly (readonly ProseLine[])[];
}): Intent["reverts"] {
  const { title, commits } = input;
  const subject = revertedSubject(title);
  const named: RevertTarget = {
    pull: PULL.exec(title.untagged)?.[1] ?? null,
    sha: hash(SHA.exec(title.untagged)?.[1]),
  };
  const titleSays = subject !== null || named.pull !== null || named.sha !== null;
  const targets: readonly RevertTarget[] = [
    named,
    ...sentences(input.body, titleSays ? "anywhere" : "first line"),
    ...(titleSays || commits.length === 1 ? commits.flatMap((one) => sentences(one, "anywhere")) : []),
    { pull: SQUASHED.exec(subject ?? "")?.[1] ?? null, sha: null },
  ];
  const pull = targets.flatMap((one) => one.pull ?? [])[0];
  const sha = targets.flatMap((one) => one.sha ?? [])[0];
  if (!titleSays && pull === undefined && sha === undefined) return null;
  return { subject, sha: sha ?? null, pull: pull === undefined ? null : Number(pull) };
}

function revertedSubject({ untagged, type, subject }: ParsedTitle): string | null {
  const quoted = QUOTED.exec(untagged)?.[1];
  if (quoted !== undefined) return quoted.replace(/["”]$/, "");
  return type === "revert" && subject !== "" ? subject.replace(/^["“](.+)["”]$/s, "$1") : null;
}

interface RevertTarget {
  readonly pull: string | null;
  readonly sha: string | null;
}

function sentences(lines: readonly ProseLine[], where: "anywhere" | "first line"): readonly RevertTarget[] {
  const spoken = lines.filter(({ masked }) => masked.trim() !== "");
  return spoken.slice(0, where === "anywhere" ? spoken.length : 1).flatMap(({ masked }) => {
    const match = SENTENCE.exec(masked);
    return match === null ? [] : [{ pull: match[1] ?? null, sha: hash(match[2]) }];
  });
}

/** A word of hexadecimal letters without a digit ("defaced") is a word. */
function hash(text: string | undefined): string | null {
  return text !== undefined && /\d/.test(text) ? text.toLowerCase() : null;
}
