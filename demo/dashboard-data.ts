// The data behind the demo's dashboard, its tests and its pictures: the scenes after the first
// review, spread over the last four weeks.
import { join } from "node:path";
import Database from "better-sqlite3";
import { isoDate } from "../src/domain/text/iso-date.ts";
import { type RepeatedCounts, repeatedFindings, type Stage } from "./repeated-findings.ts";
import { type TeamCounts, teamHistory } from "./team-history.ts";

const DAY_MS = 86_400_000;
/** Days since the first pull request was reviewed; the last one was reviewed today. */
const DAYS = 26;

/** Takes about half a minute. */
export async function playDashboardData(at: Stage): Promise<RepeatedCounts & TeamCounts> {
  const counts = await repeatedFindings(at);
  const team = await teamHistory(at);
  spread(at.dataDir);
  return { ...counts, ...team };
}

/**
 * Moves each reviewed pull request to a day of its own, with its jobs, findings, searches and
 * outcomes. No count changes.
 */
function spread(dataDir: string): void {
  const db = new Database(join(dataDir, "queue.db"));
  db.prepare("ATTACH ? AS memory").run(join(dataDir, "memory.db"));
  const keys = db.prepare("SELECT key FROM reviews GROUP BY key ORDER BY min(written_at)").pluck().all() as string[];
  const days = new Map(keys.map((key, at) => [key, Math.round(DAYS * (1 - at / (keys.length - 1)))]));
  const now = Date.now();
  /**
   * Texts contain today's date. After a pull request's number it becomes the day on which that one
   * was reviewed.
   */
  const today = new RegExp(`(?<=(?:#|/pull/)(\\d+)\\b[^{}\\n]{0,200}?)${isoDate(now)}|${isoDate(now)}`, "g");
  const dated = (text: string, repo: string, pull: string) =>
    text.replaceAll(today, (_, number = pull) =>
      isoDate(now - (days.get(`${repo}#${number}`) ?? days.get(`${repo}#${pull}`) ?? 0) * DAY_MS),
    );
  db.function("dated", dated);
  /** Repositories whose import was moved, together with their first pull request. */
  const moved = new Set<string>();
  for (const [key, ago] of days) {
    const [repo = "", pull = ""] = key.split("#");
    const [host, id] = repo.split("/");
    const move = (table: string, columns: readonly string[], where: string, ...values: readonly unknown[]) =>
      db
        .prepare(
          `UPDATE ${table} SET ${columns.map((one) => `${one} = ${one} - ${ago * DAY_MS}`).join(", ")} WHERE ${where}`,
        )
        .run(...values);
    move("reviews", ["written_at", "settled_at"], "key = ?", key);
    move("retrievals", ["created_at"], "repo = ? AND pull = ?", repo, pull);
    move("jobs", ["created_at", "finished_at"], "repo = ? AND json_extract(job, '$.number') = ?", repo, Number(pull));
    if (!moved.has(repo))
      move("jobs", ["created_at", "finished_at"], "repo = ? AND json_extract(job, '$.number') IS NULL", repo);
    moved.add(repo);
    db.prepare("UPDATE reviews SET review = dated(review, ?, ?) WHERE key = ?").run(repo, pull, key);
    const ours = `SELECT id FROM memory.records WHERE pull = ? AND corpus = 'finding'
      AND repo = (SELECT id FROM memory.repositories WHERE host = ? AND github_id = ?)`;
    const about = [pull, host, id];
    db.prepare(`UPDATE memory.contents SET text = dated(text, ?, ?) WHERE id IN (${ours})`).run(repo, pull, ...about);
    for (const table of ["decided", "evidence", "rejections", "records"])
      move(`memory.${table}`, ["at"], `id IN (${ours})`, ...about);
  }
  db.close();
}
