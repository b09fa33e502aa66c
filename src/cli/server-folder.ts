// The server's own folder: the one place where a command reads `.env` as the server does.
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadDotEnv } from "../server/dot-env.ts";
import { UsageError } from "./usage.ts";

/**
 * Reads `.env` in the working folder if that is the server's own: Kodiai's own checkout, or the folder around the data
 * folder that the user names. Anywhere else the file is somebody else's, and its addresses would get the user's keys.
 *
 * @param dataDir what `--data-dir` names
 * @returns why a `.env` that is there was not read; null where it was read and where there is none
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
  // Of a relative path in the environment, the folder would be whichever one the user is in.
  const { KODIAI_DATA_DIR: set = "" } = process.env;
  const named = dataDir ?? (isAbsolute(set) ? set : undefined);
  const data = named === undefined ? [] : [resolve(named), dirname(resolve(named))];
  return [ownCheckout(), ...data].some((own) => existsSync(own) && realpathSync(own) === realpathSync(folder));
}

/** Two folders up from here in a clone; in the published package, which is compiled, that is no folder that anybody is in. */
function ownCheckout(): string {
  return fileURLToPath(new URL("../..", import.meta.url));
}
