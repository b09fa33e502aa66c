// Whose fault it is when a process dies: the rule for a job that was running then.
//
// A process may be ended by a job (it eats all memory, it crashes the program) or by something else (an operator, the kernel, another
// job), and nothing tells which. So a job is judged by what happens while it runs ALONE:
// - Deaths that several jobs share accuse none of them. After three without progress between, a job is a suspect: it runs only where
//   nothing else runs, and nothing is begun beside it. An idle process takes a suspect first, as after a start: behind
//   others it would wait until the slowest of them has ended.
// - A death while it ran alone counts against it. After two of them it rests for half a minute, in which the process does other
//   work. A process that dies without it shows that something else ends processes too, and counting begins again. The third is the
//   last.
// - Any progress that is written down resets the counters, and so does an end, also one that asks for another try.
// - Twenty deaths without progress are the last in any case: no rule lets a job end processes for ever.

/** Deaths without progress after which a job runs alone. */
export const SUSPECT_AFTER = 3;
/** Deaths while it ran alone, and while no process died without it, after which it is parked. */
export const MOST_ALONE = 3;
/** Deaths without progress after which it is parked, whatever else ran. */
export const MOST_DEATHS = 20;
/** After its second death alone others are watched for so long before it may try again. */
const REST_MS = 30_000;
/** A suspect that has waited so long for a process that does nothing gets one that begins nothing else until it has run. */
export const SUSPECT_PATIENCE_MS = 10_000;
/** Nothing is begun beside a suspect for so long: what ends its process does so sooner, and reviews wait no longer. */
export const ALONE_MS = 120_000;

/** Since the job last made progress. */
export interface Deaths {
  /** Of processes that it ran in. */
  readonly deaths: number;
  /** Of those in which it ran alone, and since a process died without it. */
  readonly alone: number;
}

/** What becomes of a job whose process died. */
export type Verdict =
  | ({ readonly kind: "again"; readonly restMs: number } & Deaths)
  | { readonly kind: "parked"; readonly deaths: number; readonly alone: number; readonly why: string };

/**
 * @param before what was known of the job when it was taken up
 * @param company how many jobs the process ran, this one among them; null where it is not known
 */
export function afterDeath(before: Deaths, company: number | null): Verdict {
  const deaths = before.deaths + 1;
  const alone = before.alone + (company === 1 ? 1 : 0);
  if (alone >= MOST_ALONE) {
    const why = `parked: ${alone} processes died while this job ran alone in them, and none without it`;
    return { kind: "parked", deaths, alone, why };
  }
  if (deaths >= MOST_DEATHS)
    return { kind: "parked", deaths, alone, why: `parked: ${deaths} processes died while this job ran` };
  return { kind: "again", deaths, alone, restMs: company === 1 && alone >= MOST_ALONE - 1 ? REST_MS : 0 };
}
