// People talk to Kodiai in these plays: its own databases, what it said, and how it reacted.
import { join } from "node:path";
import Database from "better-sqlite3";
import type { IssueComment, Pull, ReviewComment } from "../fakes/github/conversation.ts";
import type { GitHubWorld } from "../fakes/github/github.ts";
import { WATCHDOG_MS } from "../watchdog.ts";
import type { Harness } from "./app-harness.ts";

/** How the jobs of comments ended, oldest first; waits until no job of any kind is open. */
export async function answered(harness: Harness): Promise<string[]> {
  const db = new Database(join(harness.dataDir, "queue.db"), { readonly: true });
  try {
    for (let waited = 0; waited < WATCHDOG_MS; waited += 20) {
      const open = db.prepare("SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')").pluck().get();
      if (open === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const rows = db
      .prepare("SELECT state || ' ' || coalesce(outcome, '') FROM jobs WHERE job ->> 'kind' = 'command' ORDER BY id")
      .pluck()
      .all() as string[];
    return rows;
  } finally {
    db.close();
  }
}

/** Everything that Kodiai said in the conversation but its summary. */
export function replies(world: Pick<GitHubWorld, "bot">, pull: Pull): string[] {
  return pull.issueComments
    .filter(({ author, body }) => author === world.bot && !body.includes("kodiai:summary"))
    .map(({ body }) => body);
}

/** What Kodiai said in a thread after its first comment. */
export function repliesIn(world: Pick<GitHubWorld, "bot">, pull: Pull, root: number): string[] {
  return pull.comments
    .filter(({ author, inReplyTo }) => author === world.bot && inReplyTo === root)
    .map(({ body }) => body);
}

/** Kodiai's reactions to a comment, in order. */
export function reactions(world: Pick<GitHubWorld, "bot">, comment: IssueComment | ReviewComment): string[] {
  return comment.reactions.filter(({ author }) => author === world.bot).map(({ content }) => content);
}
