// The history that the dashboard of the demo, its tests and its pictures show: the two scenes after the first review, a replay,
// and all of it spread over the last four weeks.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { type Circle, type CircleCounts, circle } from "./circle.ts";
import { season } from "./season.ts";

const DAY_MS = 86_400_000;
/** The first pull request was reviewed so many days ago, the last one today. */
const DAYS = 26;

/** Plays it: about half a minute. */
export async function history(at: Circle): Promise<CircleCounts & Awaited<ReturnType<typeof season>>> {
  const counts = await circle(at);
  const told = await season(at);
  const words = ["replay", "--repo", "acme/warehouse", "--data-dir", at.dataDir];
  await promisify(execFile)(process.execPath, ["src/cli/main.ts", ...words], { env: { PATH: process.env.PATH } });
  spread(at.dataDir);
  return { ...counts, ...told };
}

/** Moves each reviewed pull request to a day of its own, with what was found, searched and decided on it; no count changes. */
function spread(dataDir: string): void {
  const db = new Database(join(dataDir, "queue.db"));
  db.prepare("ATTACH ? AS memory").run(join(dataDir, "memory.db"));
  const pulls = db.prepare("SELECT key FROM reviews GROUP BY key ORDER BY min(written_at)").pluck().all() as string[];
  for (const [at, key] of pulls.entries()) {
    const ms = Math.round(DAYS * (1 - at / (pulls.length - 1))) * DAY_MS;
    const [repo = "", pull = ""] = key.split("#");
    const [host, id] = repo.split("/");
    const move = (table: string, columns: readonly string[], where: string, ...values: readonly unknown[]) =>
      db
        .prepare(`UPDATE ${table} SET ${columns.map((one) => `${one} = ${one} - ${ms}`).join(", ")} WHERE ${where}`)
        .run(...values);
    move("reviews", ["written_at", "settled_at"], "key = ?", key);
    move("retrievals", ["created_at"], "repo = ? AND pull = ?", repo, Number(pull));
    const ours = `pull = ? AND corpus = 'finding' AND repo = (SELECT id FROM memory.repositories WHERE host = ? AND github_id = ?)`;
    const about = `id IN (SELECT id FROM memory.records WHERE ${ours})`;
    for (const table of ["decided", "evidence", "rejections", "against"])
      move(`memory.${table}`, ["at"], about, Number(pull), host, id);
    move("memory.records", ["at"], ours, Number(pull), host, id);
  }
  db.close();
}
