// GitHub takes a review's comments all or not at all, and does not say which one it refused.
// Bisection finds one; after the second, GitHub's own diff shows the others.

/** Refusals after which GitHub's own diff is read. */
const PATIENCE = 2;

/** Posts in all: two bad comments among ten take at most 11; GitHub allows 80 writes a minute. */
export const MAX_POSTS = 12;

/**
 * Posts all items, in one piece if GitHub accepts it. After a refusal, bisection finds the first
 * bad item: one among n costs at most ⌈log2 n⌉ posts. Every accepted half is posted for good. After
 * the second refusal `outside` is called once, and what it returns is not tried again.
 *
 * @param items any number; none makes no post
 * @param post posts a piece for good and returns its address; null when GitHub refused it
 * @param outside returns the items whose lines are not part of GitHub's own diff
 * @returns `posted`: addresses of the accepted pieces; `refused`: items that are certainly bad;
 *   `untried`: undecided when the posts were used up
 */
export async function postInPieces<T>(
  items: readonly T[],
  post: (piece: readonly T[]) => Promise<string | null>,
  outside: (items: readonly T[]) => Promise<readonly T[]>,
) {
  const posted: string[] = [];
  const open = new Set(items);
  const refused: T[] = [];
  let posts = 0;
  let isCompared = false;
  const take = async (piece: readonly T[]): Promise<boolean> => {
    posts++;
    const url = await post(piece);
    if (url === null) return false;
    posted.push(url);
    for (const item of piece) open.delete(item);
    return true;
  };
  const refuse = (some: readonly T[]): void => {
    refused.push(...some);
    for (const item of some) open.delete(item);
  };
  /** Reads GitHub's diff once; true when it names an item. */
  const isExplained = async (): Promise<boolean> => {
    if (isCompared || posts - posted.length < PATIENCE) return false;
    isCompared = true;
    const named = await outside([...open]);
    refuse(named);
    return named.length > 0;
  };
  /** Finds one that is refused alone; none when GitHub's diff or the limit came first. */
  const findRefused = async (together: readonly T[]): Promise<void> => {
    let suspects = together;
    while (suspects.length > 1 && posts < MAX_POSTS) {
      if (await isExplained()) return;
      const half = suspects.slice(0, Math.ceil(suspects.length / 2));
      suspects = (await take(half)) ? suspects.slice(half.length) : half;
    }
    if (suspects.length === 1) refuse(suspects);
  };

  while (open.size > 0 && posts < MAX_POSTS) {
    const waiting = [...open];
    if (!(await take(waiting))) await findRefused(waiting);
  }
  return { posted, refused, untried: [...open] };
}
