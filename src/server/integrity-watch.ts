// A server may run for months, and what rots on its disk meanwhile is read by nobody: the store is read wholly once a day, and as soon
// as a database says that its data is damaged.
import type { Logger } from "pino";
import type { Store } from "../wire/store.ts";
import { DAY_MS, inRounds } from "./rounds.ts";

type FileProblem = Awaited<ReturnType<Store["verify"]>>[number];

export interface IntegrityWatch {
  /** `queue.db is damaged`, or null. */
  problem(): string | null;
  stop(): Promise<void>;
}

/** @param everyMs another pace than once a day, in tests */
export function integrityWatch(
  { verify, onDamage }: Pick<Store, "verify" | "onDamage">,
  log: Logger,
  everyMs = DAY_MS,
): IntegrityWatch {
  const stopping = new AbortController();
  let problem: string | null = null;
  let reported: string | null = null;
  // The files were read when they were opened.
  let isFirst = true;
  const look = async () => {
    const isWanted = !isFirst && !stopping.signal.aborted;
    isFirst = false;
    if (!isWanted) return;
    const code = reported;
    reported = null;
    try {
      const began = performance.now();
      const found = await verify(stopping.signal);
      const all = found.length === 0 && code?.startsWith("XX") ? [ofDatabase(code)] : found;
      problem = logged(all, Math.round(performance.now() - began), log);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, "the store could not be read; tomorrow it is tried again");
    }
  };
  const rounds = inRounds(everyMs, look);
  const ignore = onDamage((code) => {
    const isKnown = reported !== null || problem !== null;
    reported = code;
    if (isKnown) return;
    log.error({ code }, "a database reports damaged data: all of the store is read now");
    rounds.wake();
  });
  return {
    problem: () => problem,
    async stop() {
      ignore();
      stopping.abort();
      await rounds.stop();
    },
  };
}

/** PostgreSQL reads its own files; that it met damage since the last look is what there is to say. */
function ofDatabase(code: string): FileProblem {
  const remedy = "See the log of PostgreSQL, and restore a backup of the database.";
  return { name: "the database", message: `PostgreSQL reports damaged data (${code}). ${remedy}` };
}

/** The log has the whole story; what is wrong in a few words for whoever asks. */
function logged(found: readonly FileProblem[], ms: number, log: Logger): string | null {
  for (const { message } of found) log.error({ ms }, message);
  if (found.length > 0) return `${found.map(({ name }) => name).join(" and ")} is damaged: see the log`;
  log.info({ ms }, "the store is whole");
  return null;
}
