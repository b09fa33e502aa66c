// Keys that no header names: made here, each time again, and never seen again.
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";

const { redact } = secretRedactor();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const wrapped = (text: string, columns = 64) => text.replace(new RegExp(`(.{${columns}})`, "g"), "$1\n").trim();

/**
 * The beginning of a PKCS #12 store as OpenSSL writes it: sequence, version 3, sequence, "data";
 * then what looks random.
 */
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
    expect(shown).toMatch(/‹redacted:(?:private-key|pkcs12-key-store)›/);
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

const pem = (type: "pkcs1" | "pkcs8") => rsa.privateKey.export({ type, format: "pem" }).toString().trim().split("\n");
/** As ssh-keygen wraps them. */
const openSsh = wrapped(randomBytes(1_100).toString("base64"), 70).split("\n");
/** As `base64` and MIME wrap them. */
const mime = wrapped(rsa.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"), 76).split("\n");

test.each([
  ["PKCS #1", pem("pkcs1")],
  ["PKCS #8", pem("pkcs8")],
  ["PKCS #8 in MIME's columns", ["-----BEGIN PRIVATE KEY-----", ...mime, "-----END PRIVATE KEY-----"]],
  ["OpenSSH", ["-----BEGIN OPENSSH PRIVATE KEY-----", ...openSsh, "-----END OPENSSH PRIVATE KEY-----"]],
])("a hunk that shows any part of a key of %s, two lines or more, hides it [T18]", async (_, lines) => {
  const body = lines.length - 3;
  for (const prefix of ["+", " ", "-", '+  "', "12#a7 +"])
    for (const [from, to] of [
      [1, 3],
      [4, 9],
      [body - 3, body],
      [body - 1, lines.length],
      [2, lines.length],
    ]) {
      const shown = lines.slice(from, to);
      const suffix = prefix.endsWith('"') ? '\\n" +' : "";
      const around = [`${prefix}const before = 1;`, `${prefix}const after = 2;`];
      const hunk = [around[0], ...shown.map((line) => prefix + line + suffix), around[1]].join("\n");
      const { text, found } = await redact(hunk);
      expect(found.map(({ kind }) => kind)).toEqual([expect.stringMatching(/^(?:key-material|private-key)$/)]);
      for (const line of shown.filter((one) => !one.startsWith("-"))) expect(text).not.toContain(line);
      expect(text).toContain(around[0]);
      expect(text).toContain(around[1]);
      expect(text.split("\n")).toHaveLength(hunk.split("\n").length);
    }
});

test.each([" ", "-", "+"])(
  "the last line of a key is hidden, also if it begins with a plus, behind %j",
  async (sign) => {
    const last = "+tC7OUVJ/ceqaSIE6cGtir3qz7QU";
    const lines = [...pem("pkcs8").slice(3, 6), last, "-----END PRIVATE KEY-----", "const after = 2;"];
    const { text } = await redact(lines.map((line) => sign + line).join("\n"));
    expect(text).not.toContain(last.slice(1));
    expect(text).toContain("const after = 2;");
  },
);

test("a text that begins in the middle of a key's line and ends in another hides both", async () => {
  const key = pem("pkcs8").slice(1, 8).join("\n").slice(30, -20);
  expect((await redact(key)).text.replace(/\n/g, "")).toBe("‹redacted:key-material›");
});

test("sums, lock files, certificates and what is signed in public stay", async () => {
  const sums = Array.from(
    { length: 5 },
    (_, n) => `+${createHash("sha256").update(String(n)).digest("hex")}  a${n}.tgz`,
  );
  const bare = sums.map((line) => line.slice(0, 65));
  const integrity = sums.map(
    (sum) => `+      "integrity": "sha512-${createHash("sha512").update(sum).digest("base64")}",`,
  );
  const lines = wrapped(randomBytes(700).toString("base64"));
  const named = ["CERTIFICATE", "PGP PUBLIC KEY BLOCK", "PGP SIGNATURE", "CERTIFICATE REQUEST"].map(
    (name) => `-----BEGIN ${name}-----\nVersion: GnuPG v1\n\n${lines}\n=0chn\n-----END ${name}-----`,
  );
  const ends = `${lines}\n-----END CERTIFICATE-----`;
  // As a model is shown them: the number and hash of each line, and the sign of a diff.
  const shown = named.map((text) => text.replace(/^/gm, () => "12#3fa1:+    "));
  for (const text of [sums.join("\n"), bare.join("\n"), integrity.join("\n"), ...named, ...shown, ends])
    expect((await redact(text)).text).toBe(text);
});
