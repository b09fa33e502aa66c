// Loads a folder's `.env`. The folder's author wrote it, so it must never decide where a key from the environment is sent.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

const GITHUB_APP = ["PRIVATE_KEY", "PRIVATE_KEY_PATH", "GITHUB_CLIENT_SECRET"];

/** Address variable → the keys that are sent to that address. */
const SENT_TO: Readonly<Record<string, readonly string[]>> = {
  KODIAI_GITHUB_API_URL: GITHUB_APP,
  GHE_HOST: GITHUB_APP,
  GHE_PROTOCOL: GITHUB_APP,
  GITHUB_API_URL: ["GITHUB_TOKEN"],
  GITHUB_SERVER_URL: ["GITHUB_TOKEN"],
  ANTHROPIC_BASE_URL: ["ANTHROPIC_API_KEY"],
  OPENAI_BASE_URL: ["OPENAI_API_KEY"],
  KODIAI_EMBEDDINGS_URL: ["KODIAI_EMBEDDINGS_API_KEY", "VOYAGE_API_KEY"],
  DATABASE_URL: ["PGPASSWORD"],
};

/**
 * Sets the variables of a `.env` file that the environment does not set. Ignores a missing file.
 *
 * @param path of the file
 * @returns one line for each address in the file whose key is in the environment. In that case nothing is set, because the file
 *   could send the key anywhere
 */
export function loadDotEnv(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const inFile = parseEnv(readFileSync(path, "utf8"));
  const isSet = (name: string) => (process.env[name] ?? "").trim() !== "";
  const problems = Object.entries(SENT_TO).flatMap(([address, keys]) => {
    if (process.env[address] !== undefined || (inFile[address] ?? "").trim() === "") return [];
    return keys
      .filter(isSet)
      .map((key) => `${address} is set in ${path} and ${key} in the environment; set both in the same place`);
  });
  if (problems.length === 0) process.loadEnvFile(path);
  return problems;
}
