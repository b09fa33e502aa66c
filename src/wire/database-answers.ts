// Whether the database lets Kodiai in, asked before anything else is.
import { DatabaseRefuses, StoreUnusable, Transient } from "../domain/errors.ts";
import { openPostgres } from "../store/postgres.ts";
import { passwordIn } from "./database-password.ts";
import { neverTell } from "./secrets.ts";

/** @throws Transient when it cannot be asked now; DatabaseRefuses when the address or the server must be mended first */
export async function databaseAnswers(url: string): Promise<void> {
  neverTell(passwordIn(url));
  const db = openPostgres(url, { connections: 1, name: "kodiai start", statementMs: 5_000 });
  try {
    await db.one("SELECT 1");
  } catch (error) {
    if (error instanceof Transient || error instanceof StoreUnusable || error instanceof DatabaseRefuses) throw error;
    throw new DatabaseRefuses(`the database refuses: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await db.close();
  }
}
