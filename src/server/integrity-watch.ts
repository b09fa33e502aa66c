// A server may run for months, and what rots on its disk meanwhile is read by nobody: once a week both files are read wholly.
import type { Logger } from "pino";
import type { Store } from "../wire/store.ts";
import { DAY_MS, inRounds } from "./rounds.ts";

const WEEK_MS = 7 * DAY_MS;

export interface IntegrityWatch {
  /** `queue.db is damaged`, or null. */
  problem(): string | null;
  stop(): Promise<void>;
}

/** @param everyMs another pace than once a week, in tests */
export function integrityWatch({ verify }: Pick<Store, "verify">, log: Logger, everyMs = WEEK_MS): IntegrityWatch {
  const stopping = new AbortController();
  let problem: string | null = null;
  // Both were read when they were opened.
  let isFirst = true;
  const look = async () => {
    const isWanted = !isFirst && !stopping.signal.aborted;
    isFirst = false;
    if (!isWanted) return;
    try {
      const began = performance.now();
      const found = await verify(stopping.signal);
      problem = told(found, Math.round(performance.now() - began), log);
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn({ err: error }, "the files could not be looked at; next week it is tried again");
    }
  };
  const rounds = inRounds(everyMs, look);
  return {
    problem: () => problem,
    async stop() {
      stopping.abort();
      await rounds.stop();
    },
  };
}

/** The log has the whole story; what is wrong in a few words for whoever asks. */
function told(found: Awaited<ReturnType<Store["verify"]>>, ms: number, log: Logger): string | null {
  for (const { message } of found) log.error({ ms }, message);
  if (found.length > 0) return `${found.map(({ name }) => name).join(" and ")} is damaged: see the log`;
  log.info({ ms }, "the files of the store are whole");
  return null;
}
