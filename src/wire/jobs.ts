// Joins ports for `kodiai jobs`, which works on the queue beside servers that do.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDatabase, shownPlace, storePlace } from "../cli/data-dir.ts";
import type { JobsVerbPorts } from "../cli/jobs.ts";
import { openPostgres } from "../store/postgres.ts";
import { openQueueFile } from "../store/queue/clock.ts";
import { storedJobAdmin } from "../store/queue/job-admin.ts";
import { passwordIn } from "./database-password.ts";
import { neverTell } from "./secrets.ts";

/** @param word the folder that `--data-dir` names; where no server ever ran, no file is made */
export async function jobsVerbPorts(word: string | undefined): Promise<JobsVerbPorts> {
  const place = storePlace(word);
  const folder = shownPlace(place);
  if (isDatabase(place)) {
    neverTell(passwordIn(place));
    const db = openPostgres(place, { connections: 1, name: "kodiai command", isLastWord: true });
    return { folder, jobs: storedJobAdmin(db), close: () => db.close() };
  }
  const path = join(place, "queue.db");
  if (!existsSync(path)) return { folder, jobs: null, close: () => Promise.resolve() };
  const db = await openQueueFile(path);
  return { folder, jobs: storedJobAdmin(db), close: () => db.close() };
}
