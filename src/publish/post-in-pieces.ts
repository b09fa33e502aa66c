// GitHub takes a review's comments all or not at all, and does not say which one it refused. Bisection finds one; after the
// second, GitHub's own diff shows the others.

/** The result for all items; the three lists hold each item once, in the original order. */
interface Settled<T> {
  readonly taken: readonly T[];
  /** Refused when posted alone: certainly bad. */
  readonly refused: readonly T[];
  /** Not decided when the posts were used up. */
  readonly untried: readonly T[];
  /** What `post` returned for each piece that was accepted. */
  readonly posted: readonly string[];
  /** How often `post` was called. */
  readonly posts: number;
}

/** Refusals after which GitHub's own diff is read. */
const PATIENCE = 2;

/** Posts in all. Two bad comments among ten are found with at most 11; GitHub allows 80 writes a minute. */
export const MAX_POSTS = 12;

/**
 * Posts all items, in one piece if GitHub accepts it. After a refusal, bisection finds the first bad item; every half that is
 * accepted is posted for good, so no item is posted twice. After the second refusal `outside` is called once, and the items it
 * returns are not tried again. Any other refused item is found by bisection: one among n costs at most ⌈log2 n⌉ posts.
 *
 * @param items any number; none makes no post
 * @param post posts a piece for good and returns its address; null when GitHub refused it, with nothing posted
 * @param outside returns the items whose lines are not part of GitHub's own diff
 */
export async function postInPieces<T>(
  items: readonly T[],
  post: (piece: readonly T[]) => Promise<string | null>,
  outside: (items: readonly T[]) => Promise<readonly T[]>,
): Promise<Settled<T>> {
  const posted: string[] = [];
  const taken = new Set<T>();
  const refused = new Set<T>();
  let posts = 0;
  let refusals = 0;
  let isCompared = false;
  const take = async (piece: readonly T[]): Promise<boolean> => {
    posts++;
    const url = await post(piece);
    if (url === null) {
      refusals++;
      return false;
    }
    posted.push(url);
    for (const item of piece) taken.add(item);
    return true;
  };

  const rest = () => items.filter((item) => !taken.has(item) && !refused.has(item));
  /** Reads GitHub's diff once; true when it names an item. */
  const isExplained = async (): Promise<boolean> => {
    if (isCompared || refusals < PATIENCE) return false;
    isCompared = true;
    const named = await outside(rest());
    for (const item of named) refused.add(item);
    return named.length > 0;
  };
  /** Of items refused together, finds one that is refused alone; none when GitHub's diff or the limit came first. */
  const findRefused = async (together: readonly T[]): Promise<void> => {
    let suspects = together;
    while (suspects.length > 1 && posts < MAX_POSTS) {
      if (await isExplained()) return;
      const half = suspects.slice(0, Math.ceil(suspects.length / 2));
      suspects = (await take(half)) ? suspects.slice(half.length) : half;
    }
    const [only, ...others] = suspects;
    if (only !== undefined && others.length === 0) refused.add(only);
  };

  let waiting = items;
  while (waiting.length > 0 && posts < MAX_POSTS && !(await take(waiting))) {
    await findRefused(waiting);
    waiting = rest();
  }
  return {
    taken: items.filter((item) => taken.has(item)),
    refused: items.filter((item) => refused.has(item)),
    untried: items.filter((item) => !taken.has(item) && !refused.has(item)),
    posted,
    posts,
  };
}
