// Asks for many things, a few at a time.

/**
 * Like `Promise.all(items.map(ask))`, with at most `limit` questions open at once.
 *
 * @param goOn asked before each item; once it says no, no further item is started
 * @returns the answers in the order of the items, for the items that were started: always a run from the first on
 * @throws what the first failing `ask` throws; items after it are not started
 */
export async function mapLimit<Item, Answer>(
  items: readonly Item[],
  limit: number,
  ask: (item: Item) => Promise<Answer>,
  goOn: () => boolean = () => true,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < items.length && !failed && goOn()) {
      const at = next++;
      try {
        answers[at] = await ask(items[at] as Item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return answers;
}
