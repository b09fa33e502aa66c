import { readFileSync } from "node:fs";
import type { Env } from "./config/env.ts";

/**
 * The App's private key as PEM, from PRIVATE_KEY (where `\n` may stand for line ends) or the file at PRIVATE_KEY_PATH.
 *
 * @throws Error naming the variable when the file cannot be read
 */
export function privateKeyOf(env: Env): string {
  if (env.privateKey.kind === "pem") return env.privateKey.pem.replaceAll("\\n", "\n");
  try {
    return readFileSync(env.privateKey.path, "utf8");
  } catch (cause) {
    throw new Error("PRIVATE_KEY_PATH: the file cannot be read; check the path and its permissions", { cause });
  }
}
