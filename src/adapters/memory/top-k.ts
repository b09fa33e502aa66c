/**
 * The k best of many, best first, without sorting them all.
 *
 * @param before whether the first goes before the second: a strict total order, so that the answer does not depend on
 *   the order of the items
 */
export function topK<T>(items: Iterable<T>, k: number, before: (one: T, other: T) => boolean): T[] {
  // A heap whose root is the worst of the best so far.
  const heap: T[] = [];
  if (k < 1) return heap;
  for (const item of items) {
    if (heap.length < k) {
      heap.push(item);
      siftUp(heap, before);
    } else if (before(item, heap[0] as T)) {
      heap[0] = item;
      siftDown(heap, before);
    }
  }
  return heap.sort((one, other) => (before(one, other) ? -1 : 1));
}

function siftUp<T>(heap: T[], before: (one: T, other: T) => boolean): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(heap[parent] as T, heap[at] as T)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function siftDown<T>(heap: T[], before: (one: T, other: T) => boolean): void {
  let at = 0;
  for (;;) {
    let worst = at;
    for (const child of [at * 2 + 1, at * 2 + 2]) {
      if (child < heap.length && before(heap[worst] as T, heap[child] as T)) worst = child;
    }
    if (worst === at) return;
    swap(heap, at, worst);
    at = worst;
  }
}

function swap<T>(heap: T[], one: number, other: number): void {
  const held = heap[one] as T;
  heap[one] = heap[other] as T;
  heap[other] = held;
}
