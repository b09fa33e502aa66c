// Who may write to a repository: only their words become memory, and only theirs decide what became of it.
import type { PastAuthor } from "../domain/memory/past-reviews.ts";
import type { PastReviews } from "../ports/history.ts";

/** Whether an account may write, by its id. */
export type MayWrite = (accountId: number) => boolean;

/** Nobody of these may write, whatever else they are. */
const STRANGERS = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"]);
/** What stands for an answer where GitHub gives none, as to the token of a person who may only read. */
const TRUSTED = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
/** Members who conceal that they are show as contributors or as nobody; so many others are asked about in one run. */
const MOST_ASKED = 100;

function isNeverWriter({ id, isBot, association }: PastAuthor): boolean {
  return id === 0 || isBot || STRANGERS.has(association);
}

/** Answers for the authors that are shown to it, and remembers the answers for one run. */
export function whoMayWrite(
  past: Pick<PastReviews, "mayWrite">,
): (authors: readonly PastAuthor[]) => Promise<MayWrite> {
  /** What GitHub answered: null where it did not tell. */
  const answers = new Map<number, boolean | null>();
  const writers = new Set<number>();
  let asked = 0;

  async function mayWrite(author: PastAuthor): Promise<boolean> {
    const { id, association } = author;
    if (isNeverWriter(author)) return false;
    // The same person has an association where they wrote, and none where they resolved a thread.
    const isTrusted = TRUSTED.has(association);
    if (!answers.has(id)) {
      if (!isTrusted && asked >= MOST_ASKED) return false;
      if (!isTrusted) asked += 1;
      answers.set(id, await past.mayWrite(author));
    }
    return answers.get(id) ?? isTrusted;
  }

  return async (authors) => {
    for (const author of authors) if (await mayWrite(author)) writers.add(author.id);
    return (id) => writers.has(id);
  };
}
