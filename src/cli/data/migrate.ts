// kodiai migrate sqlite://DIR [postgres://…]: copies a store from a folder into a PostgreSQL, then compares them row by row.
import { counted } from "../../domain/text/counted.ts";
import { UsageError } from "../../config/usage-error.ts";
import { openMigration } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, printed, readWords, withPorts } from "../usage.ts";
import { VERBS } from "../verbs.ts";

/** @returns 0 @throws UsageError; StoreUnusable when nothing was moved or the two differ */
export async function migrate(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.migrate.options, 2);
  const [from, to] = positionals;
  if (from === undefined) throw new UsageError("name source and target: kodiai migrate sqlite://DIR postgres://…");
  const say = (line: string) => process.stderr.write(`${terminalText(line)}\n`);
  return withPorts(openMigration(from, to), async ({ folder, move }) => {
    const tables = await move((what, table, rows) => say(`${what} ${table}: ${rows}`));
    const lines = tables.map(
      ({ table, rows, checksum }) =>
        `${table.padEnd(14)} ${counted(rows, "row").padStart(14)}, sha256 ${checksum.slice(0, 16)}`,
    );
    const next = `both stores match; start the server with DATABASE_URL, and keep ${folder} until it runs`;
    return printed(values.json === true, { folder, tables }, () => terminalText([...lines, next].join("\n")));
  });
}
