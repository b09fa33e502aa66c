// Poison-job detection: what happens to a job whose process crashed.
//
// A job may end its process (it exhausts memory, it crashes the program), or something else may (an operator, the kernel, another
// job), and the cause is unknown. So a job is judged by crashes while it runs ALONE:
// - A crash while several jobs run is attributed to none of them. After three without progress, a job is a suspect: it runs only when
//   nothing else runs, and nothing starts beside it. An idle process takes a suspect first; behind others it would wait for the
//   slowest of them.
// - A crash while it ran alone counts against it. After two, it pauses for half a minute while the process does other work. If a
//   process crashes without it, something else ends processes too, and the count restarts. After the third it is parked.
// - Recorded progress resets the counters, and so does an end, including a retry.
// - After twenty crashes without progress it is parked in any case, so that no job crashes processes forever.

/** Crashes without progress after which a job runs alone. */
export const SUSPECT_AFTER = 3;
/** Crashes while it ran alone, without a crash of a process without it, after which it is parked. */
const MOST_ALONE = 3;
/** Crashes without progress after which it is parked in any case. */
const MOST_DEATHS = 20;
/** Pause after its second crash alone. */
const REST_MS = 30_000;
/** After so long a wait for an idle process, one process stays free for the suspect. */
export const SUSPECT_PATIENCE_MS = 10_000;
/** How long nothing starts beside a suspect: a crash would come sooner, and reviews should not wait longer. */
export const ALONE_MS = 120_000;

/** Since the job last made progress. */
export interface Deaths {
  /** Crashes of processes that ran it. */
  readonly deaths: number;
  /** Those in which it ran alone, since a process last crashed without it. */
  readonly alone: number;
}

/** What happens to a job whose process crashed. */
export type Verdict =
  | ({ readonly kind: "again"; readonly restMs: number } & Deaths)
  | ({ readonly kind: "parked"; readonly why: string } & Deaths);

/**
 * @param before the job's counters when it was leased
 * @param company how many jobs the process ran, including this one; null when unknown
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
