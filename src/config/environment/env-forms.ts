// The forms of values in the environment, each with the fix for a value that does not match.

import { z } from "zod";

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

/** `IN/OUT`, each in US$ for a million tokens; `0` alone for a model that costs nothing. */
export const modelPrice = z
  .string()
  .regex(
    /^(?:0|\d{1,6}(?:\.\d{1,6})?\/\d{1,6}(?:\.\d{1,6})?)$/,
    "must be US$ for a million tokens in and out, such as 2/10, or 0 if they cost nothing",
  )
  .transform((text) => {
    const [input = 0, output = input] = text.split("/").map(Number);
    return { input, output };
  });

export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    );
}

/** Environment files often hold no line breaks: `\n` and base64 are accepted, as in Probot. */
function pemText(value: string): string | null {
  const text = value.startsWith("-----BEGIN ")
    ? value.replaceAll("\\n", "\n")
    : Buffer.from(value, "base64").toString();
  const isPem = /^-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----\r?\n/.test(text);
  return isPem && /-----END [A-Z ]{0,20}PRIVATE KEY-----\s*$/.test(text) ? text : null;
}

const MIN_LENGTH = 32;
const MIN_DISTINCT = 8;
/** Characters that must remain without the words below: 16 random letters cannot be guessed. */
const MIN_UNGUESSABLE = 16;

/** Words that placeholders are made of. Probot's own default secret is "development". */
const GUESSABLE = (
  "development placeholder production changethis changeme password testing example webhook default replace " +
  "dummies secrets kodiai secret github probot please dummy token admin value local your test with here " +
  "this long random string"
).split(" ");

/**
 * Why a secret must not be used, or null: at least 32 characters, 8 of them distinct, not repeated,
 * no sequence, not made of placeholder words. The reason never contains the secret.
 */
export function weakSecret(secret: string): string | null {
  if (secret.length < MIN_LENGTH) return `is shorter than ${MIN_LENGTH} characters`;
  if (new Set(secret).size < MIN_DISTINCT) return `has fewer than ${MIN_DISTINCT} different characters`;
  if (`${secret}${secret}`.indexOf(secret, 1) < secret.length) return "repeats itself";
  if (climbs(secret)) return "is a sequence";
  const left = GUESSABLE.reduce((text, word) => text.replaceAll(word, ""), secret.toLowerCase());
  return left.replace(/[^\p{L}\p{N}]/gu, "").length < MIN_UNGUESSABLE ? "is a well-known or placeholder value" : null;
}

/** Whether most characters follow their neighbour, as in "abcdefgh…" and "0123456789ab…". */
function climbs(secret: string): boolean {
  let steps = 0;
  for (let index = 1; index < secret.length; index += 1) {
    if (Math.abs(secret.charCodeAt(index) - secret.charCodeAt(index - 1)) === 1) steps += 1;
  }
  return steps * 2 > secret.length;
}

/**
 * Why an address must not be used, or null. Plain http is for loopback and listed hosts (lower
 * case, maybe with `:port`). The reason never holds the address, which may contain a password.
 */
export function endpointProblem(address: string, allowHttpHosts: readonly string[]): string | null {
  // `localhost:11434` is an address too: its scheme is `localhost`.
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null) return "must be a whole address with its scheme, such as https://github.example.com/api/v3";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  if (url.search !== "" || url.hash !== "") return "must not hold a `?` or `#`";
  if (url.protocol === "https:") return null;
  if (url.protocol !== "http:") return "must begin with https://";
  const isListed = allowHttpHosts.includes(url.hostname) || allowHttpHosts.includes(url.host);
  return isListed || isLoopback(url.hostname)
    ? null
    : "must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS";
}

/** The same for an address that must have no path, such as that of the dashboard. */
export function originProblem(address: string): string | null {
  const problem = endpointProblem(address, []);
  return problem ?? (/^https?:\/\/[^/]+\/*$/.test(address) ? null : "must be without a path: https://HOST");
}

/** @param hostname as the URL parser gives it: 0x7f000001 is dotted numbers there */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
