// kodiai export-data, kodiai erase: exports or anonymises everything stored about a person.
import { counted } from "../../domain/text/counted.ts";
import { UsageError } from "../../config/usage-error.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { personPorts } from "../../wire/cli/store.ts";
import type { Store } from "../../wire/store.ts";
import { escapedJson, terminalText } from "../terminal-text.ts";
import { printed, withPorts, verb } from "../usage.ts";

type People = Store["people"];

/** One JSON line a row, on standard output or into `--output`. @returns 0 @throws UsageError */
export const exportData = verb("export-data", 0, async (values) => {
  const person = readPerson(values.user);
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

function withoutBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
}
