/**
 * The k best of the rows 0 … size − 1, best first, without sorting them all.
 *
 * @param before whether the first goes before the second: a strict total order, so that the answer does not depend on the order of
 *   the rows
 */
export function bestOf(
  size: number,
  k: number,
  admits: (row: number) => boolean,
  before: (one: number, other: number) => boolean,
): number[] {
  // A heap whose root is the worst of the best so far.
  const heap: number[] = [];
  if (k < 1) return heap;
  for (let row = 0; row < size; row += 1) {
    if (!admits(row)) continue;
    if (heap.length < k) {
      heap.push(row);
      siftUp(heap, before);
    } else if (before(row, heap[0] ?? 0)) {
      heap[0] = row;
      siftDown(heap, before);
    }
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
