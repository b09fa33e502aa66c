// Where set-up stores what the server needs: variables in .env, the private key in the data folder, both readable by the owner only.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";

const KEY_FILE = "kodiai.private-key.pem";
const OWNER_ONLY = 0o600;

/** The variables in a .env file; none where there is no file. */
export function variablesIn(envFile: string): ReadonlyMap<string, string> {
  if (!existsSync(envFile)) return new Map();
  const pairs = Object.entries(parseEnv(readFileSync(envFile, "utf8"))).filter(([, value]) => value !== "");
  return new Map(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Sets variables in the file and restricts it to its owner. */
export function keepVariables(envFile: string, set: ReadonlyMap<string, string>): void {
  const before = existsSync(envFile) ? readFileSync(envFile, "utf8") : "";
  writePrivately(envFile, withVariables(before, set));
}

/** Writes the App's key into the data folder. @returns its path */
export function keepPrivateKey(dataDir: string, pem: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, KEY_FILE);
  writePrivately(path, pem.endsWith("\n") ? pem : `${pem}\n`);
  return path;
}

/** Atomically: half a key would be worse than none. */
function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  writeFileSync(fresh, text, { mode: OWNER_ONLY });
  chmodSync(fresh, OWNER_ONLY);
  renameSync(fresh, path);
}

// A .env file with some of its variables set; everything else in it stays as it was written.

/**
 * @param text the current file; "" for none
 * @param set name → value; a commented or previous line of that name is replaced in place, others are appended
 * @throws Error for a value with line breaks or with all three kinds of quotes
 */
export function withVariables(text: string, set: ReadonlyMap<string, string>): string {
  const left = new Map(set);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    if (name === undefined || !set.has(name)) return [line];
    const value = left.get(name);
    left.delete(name);
    // Of two lines of one name the last would win, so the second is removed.
    return value === undefined ? [] : [assignment(name, value)];
  });
  const added = [...left].map(([name, value]) => assignment(name, value));
  return `${[...kept, ...added].join("\n")}\n`;
}

function assignment(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${name}=${value}`;
  const quote = ['"', "'", "`"].find((one) => !value.includes(one));
  const isPlain = !/[\n\r]/.test(value) && !(quote === '"' && value.includes("\\"));
  if (quote === undefined || !isPlain) {
    if (!/[\n\r']/.test(value)) return `${name}='${value}'`;
    throw new Error(`${name} cannot be written into a .env file`);
  }
  return `${name}=${quote}${value}${quote}`;
}
