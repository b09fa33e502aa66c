import { readFileSync } from "node:fs";
import type { Env } from "../config/env.ts";

/**
 * The App's private key as PEM, from PRIVATE_KEY or the file at PRIVATE_KEY_PATH.
 *
 * @throws Error naming the variable when the file cannot be read
 */
export function privateKeyOf(env: Env): string {
  if (env.privateKey.kind === "pem") return env.privateKey.pem;
  try {
    return readFileSync(env.privateKey.path, "utf8");
  } catch (cause) {
    throw new Error("PRIVATE_KEY_PATH: the file cannot be read; check the path and its permissions", { cause });
  }
}
