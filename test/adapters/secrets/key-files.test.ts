// Keys that no header names: made here, each time anew, and never seen again.
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";

const { redact } = secretRedactor();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const wrapped = (text: string) => text.replace(/(.{64})/g, "$1\n").trim();

/** The beginning of a PKCS #12 store as OpenSSL writes it: sequence, version 3, sequence, "data"; then what looks random. */
const STORE = Buffer.concat([
  Buffer.from("3082097902010330820939060 92a864886f70d010701".replace(" ", ""), "hex"),
  rsa.privateKey.export({ type: "pkcs8", format: "der" }).subarray(60),
]).toString("base64");

const KEYS: readonly (readonly [string, string])[] = [
  ["an RSA key of PKCS #8", rsa.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")],
  ["an RSA key of PKCS #1", rsa.privateKey.export({ type: "pkcs1", format: "der" }).toString("base64")],
  ["an EC key of PKCS #8", ec.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")],
  ["a key store", STORE],
];

test.each(KEYS)("%s is hidden, on one line and on many", async (_, key) => {
  for (const text of [`value: ${key}\nnext: 1`, `value: |\n${wrapped(key)}\nnext: 1`]) {
    const shown = (await redact(text)).text;
    expect(shown).toMatch(/\[redacted:(?:private-key|pkcs12-key-store)\]/);
    expect(shown.split("\n")).toHaveLength(text.split("\n").length);
    expect(shown).toContain("next: 1");
    for (const line of wrapped(key).split("\n").slice(0, -1)) expect(shown).not.toContain(line.slice(0, 40));
  }
});

test("public keys and certificates stay", async () => {
  const keys = [rsa.publicKey, ec.publicKey].map((key) =>
    key.export({ type: "spki", format: "der" }).toString("base64"),
  );
  const text = `-----BEGIN PUBLIC KEY-----\n${wrapped(keys[0] ?? "")}\n-----END PUBLIC KEY-----\nec: ${keys[1]}`;
  expect((await redact(text)).text).toBe(text);
});
