// Lists of hits as one thread tells them to another: names once and figures in arrays, since a thousand objects take six times
// as long to be copied.

/** What several questions found, list after list. */
export interface PackedHits {
  /** Each once. */
  readonly names: readonly string[];
  /** Of each list how many hits it has. */
  readonly lengths: Uint32Array;
  /** Of each hit its place among the names, and its distance or score. */
  readonly places: Uint32Array;
  readonly figures: Float64Array;
}

/** @param figureOf what is told of a hit beside its name */
export function packHits<T extends { readonly id: string }>(
  lists: readonly (readonly T[])[],
  figureOf: (hit: T) => number,
): PackedHits {
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const [places, figures] = [new Uint32Array(count), new Float64Array(count)];
  const placeOf = new Map<string, number>();
  let end = 0;
  for (const list of lists) {
    for (const hit of list) {
      const place = placeOf.get(hit.id) ?? placeOf.size;
      placeOf.set(hit.id, place);
      places[end] = place;
      figures[end] = figureOf(hit);
      end += 1;
    }
  }
  return { names: [...placeOf.keys()], lengths: Uint32Array.from(lists, ({ length }) => length), places, figures };
}

/** The lists that were packed, the same to the last bit. */
export function unpackHits<T>(
  { names, lengths, places, figures }: PackedHits,
  hitOf: (id: string, figure: number) => T,
): T[][] {
  const lists: T[][] = [];
  let end = 0;
  for (const length of lengths) {
    const list: T[] = [];
    for (const last = end + length; end < last; end += 1)
      list.push(hitOf(names[places[end] ?? 0] ?? "", figures[end] ?? 0));
    lists.push(list);
  }
  return lists;
}
