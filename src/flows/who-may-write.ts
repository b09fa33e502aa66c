// Who may write to a repository: only their words become memory, and only theirs decide what became of it.
import type { PastAuthor } from "../domain/history.ts";
import type { PastReviews } from "../ports/history.ts";

/** Whether an account may write, by its id. */
export type MayWrite = (accountId: number) => boolean;

/** Nobody of these may write, whatever else they are. */
const STRANGERS = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"]);
/** What stands for an answer where GitHub gives none, as to the token of a person who may only read. */
const TRUSTED = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
/** Members who conceal that they are show as contributors or as nobody; so many others are asked about in one run. */
const MOST_ASKED = 100;

/** Answers for the authors that are shown to it, and remembers the answers for one run. */
export function whoMayWrite(
  past: Pick<PastReviews, "mayWrite">,
): (authors: readonly PastAuthor[]) => Promise<MayWrite> {
  const known = new Map<number, boolean>();
  let asked = 0;

  async function answer(author: PastAuthor): Promise<boolean> {
    const isTrusted = TRUSTED.has(author.association);
    if (author.id === 0 || author.isBot || STRANGERS.has(author.association)) return false;
    if (!isTrusted && asked >= MOST_ASKED) return false;
    if (!isTrusted) asked += 1;
    return (await past.mayWrite(author)) ?? isTrusted;
  }

  return async (authors) => {
    for (const author of authors) {
      if (!known.has(author.id)) known.set(author.id, await answer(author));
    }
    return (id) => known.get(id) === true;
  };
}
