// kodiai migrate sqlite://DIR [postgres://…]: copies a store from a folder into a PostgreSQL, then compares them row by row.
import { StoreUnusable } from "../../domain/errors.ts";
import type { MovedTable } from "../../ports/move.ts";
import { openMigration } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, noMore, printJson, readWords, UsageError } from "../usage.ts";
import { VERBS } from "../verbs.ts";

/** @returns 0; 3 when nothing was moved or the two differ @throws UsageError */
export async function migrate(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.migrate.options);
  const [from, to, ...more] = positionals;
  if (from === undefined) throw new UsageError("name source and target: kodiai migrate sqlite://DIR postgres://…");
  noMore(more);
  const say = (line: string) => process.stderr.write(`${terminalText(line)}\n`);
  try {
    const ports = await openMigration(from, to);
    try {
      const tables = await ports.move((what, table, rows) => say(`${what} ${table}: ${rows}`));
      report(tables, ports.folder, values.json === true);
      return 0;
    } finally {
      await ports.close();
    }
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    console.error(terminalText(`kodiai: ${error.message}`));
    return 3;
  }
}

function report(tables: readonly MovedTable[], folder: string, json: boolean): void {
  if (json) {
    printJson({ folder, tables });
    return;
  }
  for (const { table, rows, checksum } of tables) {
    console.log(`${table.padEnd(14)} ${String(rows).padStart(9)} rows, sha256 ${checksum.slice(0, 16)}`);
  }
  console.log(terminalText(`both stores match; start the server with DATABASE_URL, and keep ${folder} until it runs`));
}
