// Whether the database lets Kodiai in, asked before anything else is.
import { connectPostgres } from "../adapters/postgres/database.ts";
import { StoreUnusable } from "../domain/store-unusable.ts";
import { Transient } from "../domain/transient.ts";
import { passwordIn } from "./database-password.ts";
import { neverTell } from "./secrets.ts";

/** What the operator must mend in the address or at the server; a fragment of a sentence. */
export class DatabaseRefuses extends Error {
  override readonly name = "DatabaseRefuses";
}

/** By the states in which a server turns a connection away (https://www.postgresql.org/docs/17/errcodes-appendix.html). */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["28P01", "the server refuses the user or the password"],
  ["28000", "the server knows no such user, or does not let it in from here (pg_hba.conf)"],
  ["3D000", "the server has no such database; create it, or mend the name"],
  ["42501", "the user may not connect to this database"],
]);
/** What the driver says where the server asks for a password and the address has none. */
const NO_PASSWORD = /client password must be a (non-empty )?string/i;

/** @throws Transient when it cannot be asked now; DatabaseRefuses when the address or the server must be mended first */
export async function databaseAnswers(url: string): Promise<void> {
  neverTell(passwordIn(url));
  const db = connectPostgres(url, { connections: 1, name: "kodiai start", statementMs: 5_000 });
  try {
    await db.one("SELECT 1");
  } catch (error) {
    if (error instanceof Transient || error instanceof StoreUnusable) throw error;
    throw new DatabaseRefuses(refusal(error));
  } finally {
    await db.close();
  }
}

function refusal(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (NO_PASSWORD.test(error.message)) return "the server asks for a password, and the address has none";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REFUSALS.get(code) ?? `the database refuses: ${error.message}`;
}
