import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Env } from "../config/environment/env.ts";

/** The App's key as PEM, from PRIVATE_KEY or PRIVATE_KEY_PATH; or a problem that names it. */
export function readPrivateKey(env: Pick<Env, "privateKey">): { readonly pem: string } | { readonly problem: string } {
  const { privateKey } = env;
  if (privateKey.kind === "pem") return checked(privateKey.pem, "PRIVATE_KEY");
  try {
    return checked(readFileSync(privateKey.path, "utf8"), "PRIVATE_KEY_PATH");
  } catch {
    return { problem: "PRIVATE_KEY_PATH: the file cannot be read; check the path and its permissions" };
  }
}

/** Like readPrivateKey, but throws an Error that names the variable and the problem. */
export function privateKeyOf(env: Pick<Env, "privateKey">): string {
  const key = readPrivateKey(env);
  if ("problem" in key) throw new Error(key.problem);
  return key.pem;
}

/** GitHub's keys are RSA; it would refuse any other with the first request. */
function checked(pem: string, name: string): { readonly pem: string } | { readonly problem: string } {
  try {
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return { pem };
  } catch {
    // Reported below: OpenSSL's reason does not help.
  }
  return { problem: `${name} holds no RSA key that can be read; download a new one at the App's settings page` };
}
