// The forms of values in the environment, each with the fix for a value that does not match.
import { z } from "zod";
import { weakSecret } from "./weak-secret.ts";

export const flag = z
  .enum(["true", "false", "1", "0"], "must be `true` or `false`")
  .default("false")
  .transform((word) => word === "true" || word === "1");

export const hostName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/;

export const hostList = z
  .string()
  .default("")
  .transform((text) =>
    text
      .toLowerCase()
      .split(",")
      .map((host) => host.trim())
      .filter((host) => host !== ""),
  )
  .refine(
    (hosts) => hosts.every((host) => hostName.test(host)),
    "must be host names separated by commas, without http://",
  );

export const secret = z.string("is not set; make one with `openssl rand -hex 32`").superRefine((value, context) => {
  const weak = weakSecret(value);
  if (weak !== null) context.addIssue(`${weak}; make one with \`openssl rand -hex 32\` and set it at the App as well`);
});

export const pem = z.string().transform((value, context) => {
  const text = pemText(value);
  if (text === null) context.addIssue("must be the App's private key in PEM form: -----BEGIN … PRIVATE KEY-----");
  return text ?? z.NEVER;
});

export const proxy = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""), "must be a whole address: http://HOST:PORT");

/** Seconds and zone are required, so that neither has to be guessed. */
export const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

/** What a header can contain; anything else is a copying mistake. */
export const apiKey = z.string().regex(/^[!-~]{8,500}$/, "must be the key alone: one line without spaces");

export const modelName = z.string().regex(/^[\w.:/@-]{1,200}$/, "must be the name of a model");

export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    );
}

/** Environment files often cannot hold line breaks, so `\n` and base64 are accepted, as in Probot. */
function pemText(value: string): string | null {
  const text = value.startsWith("-----BEGIN ") ? value.replaceAll("\\n", "\n") : fromBase64(value);
  const isPem = /^-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----\r?\n/.test(text);
  return isPem && /-----END [A-Z ]{0,20}PRIVATE KEY-----\s*$/.test(text) ? text : null;
}

function fromBase64(value: string): string {
  try {
    return atob(value);
  } catch {
    return "";
  }
}
