// The verbs about a whole store: backup and restore copy it, migrate moves it to PostgreSQL,
// export-data and erase export or anonymise everything stored about a person.
import { UsageError } from "../../config/usage-error.ts";
import { counted } from "../../domain/text/counted.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { backupPorts, openMigration, personPorts } from "../../wire/cli/store.ts";
import type { Store } from "../../wire/store.ts";
import { escapedJson, terminalText } from "../terminal-text.ts";
import { printed, verb, withPorts } from "../usage.ts";

type BackedUp = Awaited<ReturnType<ReturnType<typeof backupPorts>["backUp"]>>["files"][number];

/** @returns 0 @throws UsageError; StoreUnusable when there is nothing to copy */
export const backup = verb("backup", 1, async (values, [folder]) => {
  if (folder === undefined) throw new UsageError("name the folder: kodiai backup DIR");
  const { files } = await backupPorts(values["data-dir"]).backUp(folder);
  return printed(values, { folder, files }, () =>
    terminalText([...files.map(line), `written and verified: ${folder}`].join("\n")),
  );
});

/** @returns 0 @throws UsageError; StoreUnusable for a damaged backup, or where a store exists */
export const restore = verb("restore", 1, async (values, [folder]) => {
  if (folder === undefined) throw new UsageError("name the folder: kodiai restore DIR");
  const ports = backupPorts(values["data-dir"]);
  const { manifest, forgotten, uncertain } = await ports.restore(folder);
  const lines = [
    ...manifest.files.map(line),
    `restored into ${ports.folder} as of ${new Date(manifest.at).toISOString()}`,
    `deleted again: ${forgotten.length}; repositories to check on GitHub: ${uncertain}`,
  ];
  const value = { ...manifest, forgotten: forgotten.length, uncertain };
  return printed(values, value, () => terminalText(lines.join("\n")));
});

function line({ name, bytes, schema, sha256 }: BackedUp): string {
  return `${name.padEnd(10)} ${bytes} bytes, schema ${schema}, sha256 ${sha256}`;
}

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

type People = Store["people"];

/** One JSON line a row, on standard output or into `--output`. @returns 0 @throws UsageError */
export const exportData = verb("export-data", 0, async (values) => {
  const person = readPerson(values.user);
  const withoutBytes = (_: string, value: unknown) => (value instanceof Uint8Array ? `${value.length} bytes` : value);
  await withPorts(personPorts(values["data-dir"]), async (ports) => {
    const lines = (await ports.rows(person)).map((row) => `${escapedJson(JSON.stringify(row, withoutBytes))}\n`);
    if (values.output === undefined) process.stdout.write(lines.join(""));
    else await writeForeignFile(values.output, lines, { mode: 0o600, replaces: true });
    console.error(`${counted(lines.length, "row")} about this person`);
  });
  return 0;
});

/** @returns 0 @throws UsageError; Transient when a reader still uses the old bytes: run it again */
export const erase = verb("erase", 0, async (values) => {
  const person = readPerson(values.user);
  return withPorts(personPorts(values["data-dir"]), async (ports) => {
    if (values["dry-run"] === true) {
      console.log(`${counted((await ports.rows(person)).length, "row")} about this person; nothing was changed`);
      return 0;
    }
    const erased = await ports.erase(person, values.texts === true);
    return printed(values, erased, () => terminalText(eraseReport(erased)));
  });
});

function eraseReport({ logins, ids, removed, anonymised }: Awaited<ReturnType<People["erase"]>>): string {
  if (logins + ids === 0) return "nothing is stored about this person";
  return `${counted(removed, "row")} removed, ${anonymised} anonymised (${counted(logins, "login")}, ${counted(ids, "id")})`;
}

function readPerson(word: string | undefined): Parameters<People["erase"]>[0] {
  if (word === undefined || word === "")
    throw new UsageError("name the person: --user LOGIN, --user ID or --user ADDRESS");
  if (/^\d{1,15}$/.test(word)) return { id: Number(word) };
  if (/^[^\s@]{1,64}@[\w.-]{3,255}$/.test(word)) return { login: word };
  const login = word.replace(/^@/, "");
  if (!/^[\w-]{1,100}(?:\[bot\])?$/.test(login)) throw new UsageError(`${JSON.stringify(word)} is not a GitHub login`);
  return { login };
}
