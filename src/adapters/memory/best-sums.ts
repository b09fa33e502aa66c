// Rows whose sums may be among the best of a question, as they are met.
import { HIGHEST } from "./add-postings.ts";
import { type Grown, grown } from "./grown.ts";

export interface BestSums {
  /** Sums below this cannot be among the best. */
  least: number;
  /** What was taken, side by side: thousands of objects would have to be collected. */
  readonly parts: Grown;
  readonly rows: Grown;
  readonly sums: Grown;
  /** The k-th highest sum so far; 0 while there are fewer. */
  kth(): number;
  take(part: number, row: number, sum: number): void;
}

/** None taken yet. Keeps counts of the sums, from which the k-th follows. */
export function bestSums(k: number): BestSums {
  const counts = new Uint32Array((HIGHEST >> STEP_BITS) + 1);
  let [taken, highest] = [0, 0];
  const [parts, rows, sums] = [grown(), grown(), grown()];
  return {
    ...{ least: 1, parts, rows, sums },
    take(part, row, sum) {
      parts.push(part);
      rows.push(row);
      sums.push(sum);
      const step = sum >> STEP_BITS;
      counts[step] = (counts[step] ?? 0) + 1;
      highest = Math.max(highest, step);
      taken += 1;
    },
    kth() {
      if (taken < k) return 0;
      let above = 0;
      for (let step = highest; step > 0; step -= 1) {
        above += counts[step] ?? 0;
        if (above >= k) return step << STEP_BITS;
      }
      return 0;
    },
  };
}

/** Sums are counted in steps of 8. */
const STEP_BITS = 3;

/** Those of a part that were taken with at least such a sum. */
export function rowsOf({ parts, rows, sums }: BestSums, part: number, least: number): number[] {
  const found: number[] = [];
  for (let at = 0; at < rows.size(); at += 1)
    if (parts.get(at) === part && sums.get(at) >= least) found.push(rows.get(at));
  return found;
}
