/**
 * The k best admitted rows with a score above 0, best first; ties are ordered by name. It keeps a heap instead of sorting all.
 *
 * @param scores of each row, ≥ 0
 * @param admitted 1 for each row that may be chosen
 * @param names of the rows, unique, so that the order is total
 */
export function bestRows(
  scores: Float64Array,
  admitted: Uint8Array,
  names: readonly string[],
  k: number,
): readonly number[] {
  const before = (one: number, other: number) => {
    const more = (scores[one] ?? 0) - (scores[other] ?? 0);
    return more > 0 || (more === 0 && (names[one] ?? "") < (names[other] ?? ""));
  };
  // Its root is the worst of the current best.
  const heap: number[] = [];
  if (k < 1) return heap;
  let least = 0;
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    // Most rows end here, so it precedes any call.
    if (score < least || score <= 0 || admitted[row] !== 1) continue;
    if (heap.length < k) {
      heap.push(row);
      siftUp(heap, before);
    } else if (before(row, heap[0] ?? 0)) {
      heap[0] = row;
      siftDown(heap, before);
    }
    if (heap.length === k) least = scores[heap[0] ?? 0] ?? 0;
  }
  return heap.sort((one, other) => (before(one, other) ? -1 : 1));
}

function siftUp(heap: number[], before: (one: number, other: number) => boolean): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(heap[parent] ?? 0, heap[at] ?? 0)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function siftDown(heap: number[], before: (one: number, other: number) => boolean): void {
  let at = 0;
  for (;;) {
    let worst = at;
    for (const child of [at * 2 + 1, at * 2 + 2]) {
      if (child < heap.length && before(heap[worst] ?? 0, heap[child] ?? 0)) worst = child;
    }
    if (worst === at) return;
    swap(heap, at, worst);
    at = worst;
  }
}

function swap(heap: number[], one: number, other: number): void {
  const held = heap[one] ?? 0;
  heap[one] = heap[other] ?? 0;
  heap[other] = held;
}
