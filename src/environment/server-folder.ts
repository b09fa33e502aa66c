// The server's own folder: the only place where a command reads `.env` as the server does.

import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../config/usage-error.ts";
import { loadDotEnv } from "./dot-env.ts";

/**
 * Reads `.env` in the working folder if that is the server's own: Kodiai's own checkout, or the
 * folder around the data folder that the user names. Anywhere else the file may be another
 * person's, and its addresses would receive the user's keys.
 *
 * @param dataDir the folder of `--data-dir`
 * @returns why an existing `.env` was not read; null if it was read or there is none
 * @throws UsageError when it combines an address with a key of the environment
 */
export function readServersEnv(dataDir: string | undefined): string | null {
  if (!existsSync(".env")) return null;
  if (!isServersFolder(process.cwd(), dataDir)) {
    return "./.env is not read, as this is not known to be the server's folder: name its data folder with --data-dir";
  }
  const problems = loadDotEnv(".env");
  if (problems.length > 0) throw new UsageError(problems.join("; "));
  return null;
}

function isServersFolder(folder: string, dataDir: string | undefined): boolean {
  // A relative path in the environment would name the folder that the user happens to be in.
  const { KODIAI_DATA_DIR: set = "" } = process.env;
  const named = dataDir ?? (isAbsolute(set) ? set : undefined);
  const data = named === undefined ? [] : [resolve(named), dirname(resolve(named))];
  return [ownCheckout(), ...data].some((own) => existsSync(own) && realpathSync(own) === realpathSync(folder));
}

/** Two folders up in a clone; the published package is compiled and has no such folder. */
function ownCheckout(): string {
  return fileURLToPath(new URL("../..", import.meta.url));
}
