// What is no disguised secret, in our own sources and in megabytes of encodings.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { detectSecrets } from "../../../src/adapters/secrets/detect-secrets.ts";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";

const redactor = secretRedactor();

test("our own sources are read as they are: nothing in them is taken for a secret in disguise", async () => {
  const paths = globSync("{src,docs,bench,demo}/**/*.{ts,md,json}").filter((path) => !path.includes("secret"));
  expect(paths.length).toBeGreaterThan(300);
  for (const path of paths) {
    const text = readFileSync(path, "utf8");
    const plain = await detectSecrets(text);
    expect((await redactor.redact(text)).found.length, path).toBe(plain.length);
  }
});

const MEGABYTE = 1_000_000;
test.each([
  "%41",
  "\\u0041",
  "\\x41",
  "&#65;",
  "&#x",
  "\\\\",
  "\u200b",
  '"+"',
  '" ,\n',
  "41 ",
  "0x41, ",
  "a\n",
  "Z2hw",
  "12#3fa1:+",
])("a megabyte of %j is read", async (piece) => {
  const text = piece.repeat(Math.ceil(MEGABYTE / piece.length));
  expect((await redactor.redact(text)).text.split("\n").length).toBe(text.split("\n").length);
});
