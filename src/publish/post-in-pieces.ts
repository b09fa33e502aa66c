// GitHub takes a review's comments all or not at all, and does not say which one it refused. This finds it by halves.

/** What became of the items; the three lists hold each item once, in the old order. */
export interface Settled<T> {
  readonly taken: readonly T[];
  /** Refused by themselves: certainly bad. */
  readonly refused: readonly T[];
  /** Not decided when the posts were used up. */
  readonly untried: readonly T[];
  /** What `post` returned for each piece that was taken. */
  readonly posted: readonly string[];
  /** How often `post` was called. */
  readonly posts: number;
}

/** Posts in all. Two bad comments among ten are found with at most 11; GitHub allows 80 writes a minute. */
export const MOST_POSTS = 12;

/**
 * Posts all items, in one piece if GitHub lets it be. After a refusal the first bad item is found by halves; every half
 * that is taken is posted for good, so no item is posted twice. One bad item among n costs at most ⌈log2 n⌉ posts to
 * find and one for those that waited.
 *
 * @param items any number; none makes no post
 * @param post posts a piece for good and returns its address; null when GitHub refused it, with nothing posted
 */
export async function postInPieces<T>(
  items: readonly T[],
  post: (piece: readonly T[]) => Promise<string | null>,
): Promise<Settled<T>> {
  const posted: string[] = [];
  const taken = new Set<T>();
  const refused = new Set<T>();
  let posts = 0;
  const take = async (piece: readonly T[]): Promise<boolean> => {
    posts++;
    const url = await post(piece);
    if (url === null) return false;
    posted.push(url);
    for (const item of piece) taken.add(item);
    return true;
  };

  let waiting = items;
  while (waiting.length > 0 && posts < MOST_POSTS && !(await take(waiting))) {
    for (const item of await findRefused(waiting, take, () => posts < MOST_POSTS)) refused.add(item);
    waiting = items.filter((item) => !taken.has(item) && !refused.has(item));
  }
  return {
    taken: items.filter((item) => taken.has(item)),
    refused: items.filter((item) => refused.has(item)),
    untried: items.filter((item) => !taken.has(item) && !refused.has(item)),
    posted,
    posts,
  };
}

/** Of items refused together, one that is refused by itself; none when the posts were used up before. */
async function findRefused<T>(
  items: readonly T[],
  take: (piece: readonly T[]) => Promise<boolean>,
  mayPost: () => boolean,
): Promise<readonly T[]> {
  let suspects = items;
  while (suspects.length > 1 && mayPost()) {
    const half = suspects.slice(0, Math.ceil(suspects.length / 2));
    suspects = (await take(half)) ? suspects.slice(half.length) : half;
  }
  return suspects.length === 1 ? suspects : [];
}
