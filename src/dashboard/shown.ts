// A page as an answer: with what stands around it for whoever looks.
import type { Context } from "hono";
import type { Inside } from "./addresses.ts";
import { framed, type Page } from "./frame.ts";

/** @param version of Kodiai */
export async function shown(
  c: Context<Inside>,
  version: string,
  page: Page,
  status: 200 | 401 | 403 | 404 | 429 | 500 | 503 = 200,
): Promise<Response> {
  const around = {
    formToken: c.get("formToken") ?? null,
    viewer: c.get("ports")?.viewer?.login ?? null,
    notice: notice(c.req.query("done")),
    version,
  };
  return c.html(await framed(page, around), status);
}

// What was just done, by a word in the address: the words are ours, whatever the address says.
const NOTICES: ReadonlyMap<string, string> = new Map([
  ["forgotten", "The memory is forgotten."],
  ["not-forgotten", "There was no such memory any more."],
  ["restored", "Restored: findings like it are said again, from the next review of each pull request on."],
  ["not-declined", "Nothing to restore: this memory was not declined."],
  ["taken", "Marked as taken. Your .kodiai.yml is as you left it."],
  ["untaken", "Mark removed."],
  ["retried", "The job waits again and runs at once."],
  ["not-retried", "The job was not moved: it runs, a later one of the same pull request waits, or it was deleted."],
]);

export type Notice =
  | "forgotten"
  | "not-forgotten"
  | "restored"
  | "not-declined"
  | "taken"
  | "untaken"
  | "retried"
  | "not-retried";

/** Null for a word that is none of ours. */
export function notice(word: string | undefined): string | null {
  return NOTICES.get(word ?? "") ?? null;
}
