// Where set-up keeps what the server needs: variables in .env, the private key beside the data, both for the owner's eyes.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { withVariables } from "./env-file.ts";

const KEY_FILE = "kodiai.private-key.pem";
const OWNER_ONLY = 0o600;

/** The variables in a .env file; none where there is no file. */
export function variablesIn(envFile: string): ReadonlyMap<string, string> {
  if (!existsSync(envFile)) return new Map();
  const pairs = Object.entries(parseEnv(readFileSync(envFile, "utf8"))).filter(([, value]) => value !== "");
  return new Map(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Sets variables in the file, made for its owner alone if it is new; whoever else could read it cannot any more. */
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

/** As a whole or not at all: half a key would be worse than none. */
function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  writeFileSync(fresh, text, { mode: OWNER_ONLY });
  chmodSync(fresh, OWNER_ONLY);
  renameSync(fresh, path);
}
