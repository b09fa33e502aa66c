// kodiai migrate sqlite://DIR [postgres://…]: copies a store into a PostgreSQL, and compares both.
import { counted } from "../../domain/text/counted.ts";
import { UsageError } from "../../config/usage-error.ts";
import { openMigration } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { printed, withPorts, verb } from "../usage.ts";

/** @returns 0 @throws UsageError; StoreUnusable when nothing was moved or the two differ */
export const migrate = verb("migrate", 2, async (values, [from, to]) => {
  if (from === undefined) throw new UsageError("name source and target: kodiai migrate sqlite://DIR postgres://…");
  const say = (line: string) => process.stderr.write(`${terminalText(line)}\n`);
  return withPorts(openMigration(from, to), async ({ folder, move }) => {
    const tables = await move((what, table, rows) => say(`${what} ${table}: ${rows}`));
    const lines = tables.map(
      ({ table, rows, checksum }) =>
        `${table.padEnd(14)} ${counted(rows, "row").padStart(14)}, sha256 ${checksum.slice(0, 16)}`,
    );
    const next = `both stores match; start the server with DATABASE_URL, and keep ${folder} until it runs`;
    return printed(values, { folder, tables }, () => terminalText([...lines, next].join("\n")));
  });
});
