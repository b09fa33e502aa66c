// Reads the whole store once a day, and as soon as a database reports damaged data: otherwise bit rot could go unnoticed for months.
import type { Logger } from "pino";
import type { Store } from "../../wire/store.ts";
import { DAY_MS, every } from "./periodic-task.ts";

/** @param everyMs other than a day in tests only */
export function integrityWatch(
  { verify, onDamage }: Pick<Store, "verify" | "onDamage">,
  log: Logger,
  everyMs = DAY_MS,
) {
  const stopping = new AbortController();
  let problem: string | null = null;
  let reported: string | null = null;
  // The files were checked when they were opened.
  let isFirst = true;
  const look = async () => {
    const isWanted = !isFirst && !stopping.signal.aborted;
    isFirst = false;
    if (!isWanted) return;
    const code = reported;
    reported = null;
    try {
      const began = performance.now();
      const inFiles = await verify(stopping.signal);
      const ms = Math.round(performance.now() - began);
      // Kodiai cannot read PostgreSQL's files, so it reports the damage that PostgreSQL found since the last check.
      const remedy = "See the log of PostgreSQL, and restore a backup of the database.";
      const inDatabase = { name: "the database", message: `PostgreSQL reports damaged data (${code}). ${remedy}` };
      const found = inFiles.length === 0 && code?.startsWith("XX") ? [inDatabase] : inFiles;
      for (const { message } of found) log.error({ ms }, message);
      if (found.length === 0) log.info({ ms }, "the store is intact");
      problem = found.length === 0 ? null : `${found.map(({ name }) => name).join(" and ")} is damaged: see the log`;
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn({ err: error }, "the store could not be checked; the next try is tomorrow");
    }
  };
  const task = every(everyMs, look);
  const ignore = onDamage((code) => {
    const isKnown = reported !== null || problem !== null;
    reported = code;
    if (isKnown) return;
    log.error({ code }, "a database reports damaged data: checking the whole store");
    task.wake();
  });
  return {
    /** `queue.db is damaged`, or null. */
    problem: () => problem,
    async stop(): Promise<void> {
      ignore();
      stopping.abort();
      await task.stop();
    },
  };
}
