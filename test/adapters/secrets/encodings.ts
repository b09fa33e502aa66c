// The disguises of a secret, and secrets to put into them.
const join = (...parts: readonly string[]) => parts.join("");

/**
 * By the kind that redaction names. Put together here, so that no scanner takes this file for a
 * leak.
 */
export const TOKENS: readonly (readonly [string, string])[] = [
  ["github-token", join("ghp", "_", "k9XwQ2mZ7bLr4TnVy8Jc1HsPd6GfAe3uRo5E")],
  ["aws-access-key", join("AK", "IA", "Q7ZN5WVKXL3RTYBM")],
  ["stripe-key", join("sk", "_live_", "9fKq2mLx8vRtZw4Yb6Nc")],
  ["digitalocean-token", join("dop", "_v1_", "3f9a1c7e5b2d8046f1a9c3e7b5d20864f9a1c7e3b5d2084617a9c3e5b7d20f68")],
];

const bytes = (text: string, write: (hex: string) => string) =>
  [...Buffer.from(text)].map((byte) => write(byte.toString(16).padStart(2, "0"))).join("");
const pieces = (text: string) => text.match(/[\s\S]{1,9}/g) ?? [];

export const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ["base64", (text) => Buffer.from(text).toString("base64")],
  ["base64 for URLs", (text) => Buffer.from(text).toString("base64url")],
  ["hexadecimal", (text) => Buffer.from(text).toString("hex")],
  ["hexadecimal with blanks", (text) => bytes(text, (hex) => `${hex} `).trim()],
  ["percent signs", (text) => bytes(text, (hex) => `%${hex}`)],
  ["escapes of JSON", (text) => bytes(text, (hex) => `\\u00${hex}`)],
  ["escapes of C", (text) => bytes(text, (hex) => `\\x${hex}`)],
  ["entities of HTML", (text) => bytes(text, (hex) => `&#x${hex};`)],
  ["zero-width spaces", (text) => [...text].join("\u200b")],
  ["line ends", (text) => pieces(text).join("\n")],
  ["joined strings", (text) => `"${pieces(text).join('" + "')}"`],
];
