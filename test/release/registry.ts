// npm as on a machine that never had Kodiai: with an empty home folder, but with the packages that
// this machine has downloaded before.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Null when packages can be installed, else what npm said, which is also printed. */
export function registryProblem(): string | null {
  const asked = spawnSync("npm", ["view", "zod", "version"], { encoding: "utf8", timeout: 60_000 });
  if (asked.status === 0) return null;
  const problem = (asked.stderr || "no answer").trim().slice(0, 300);
  console.warn(`SKIPPED, NOT TESTED: what users install, since npm's registry cannot be reached: ${problem}`);
  return problem;
}

/**
 * How this machine reaches the registry. Not all of npm's: under `npm run` they name the folder of
 * this project.
 */
const NETWORK = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:npm_config_)?(?:https?_|no_?)?proxy)$/i;

/** The environment of a user whose home folder, in `folder`, is empty. */
export function newUser(folder: string): Readonly<Record<string, string | undefined>> {
  const HOME = join(folder, "home");
  mkdirSync(HOME, { recursive: true });
  const config = (name: string) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
    PATH: process.env.PATH,
    HOME,
    npm_config_registry: config("registry"),
    npm_config_cache: config("cache"),
    npm_config_prefer_offline: "true",
  };
}
