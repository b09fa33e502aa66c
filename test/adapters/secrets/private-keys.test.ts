// Keys by their header, in every dress that code and diffs give them, and code that only stands
// near a header.
import { describe, expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";

const redactor = secretRedactor();
const redact = async (text: string) => (await redactor.redact(text)).text;

const HEADER = ["-----BEGIN RSA PRIVATE", "KEY-----"].join(" ");
const FOOTER = "-----END RSA PRIVATE KEY-----";
const FIRST = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
const SECOND = "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu";
const LAST = "Qk3xZw==";
const KEY = [HEADER, FIRST, SECOND, LAST, FOOTER];

describe("a key is masked whole", () => {
  test.each([
    ["as a file", KEY],
    ["with Windows line ends", KEY.map((line) => `${line}\r`)],
    ["encrypted", [HEADER, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,7A9C0F", "", FIRST, SECOND, LAST, FOOTER]],
    ["in a comment", KEY.map((line) => `// ${line}`)],
    ["in a block comment", KEY.map((line) => ` * ${line}`)],
    ["in a comment of shell or Python", KEY.map((line) => `# ${line}`)],
    ["in joined strings", KEY.map((line) => `  "${line}\\n" +`)],
    ["in a list of strings", KEY.map((line) => `  '${line}',`)],
    ["quoted in a mail", KEY.map((line) => `> ${line}`)],
    ["added by a diff", KEY.map((line) => `+${line}`)],
    ["removed by a diff", KEY.map((line) => `-${line}`)],
    ["in a drawn diff", KEY.map((line, at) => `${at + 7}#3fa1:+${line}`)],
    ["on one line with escapes", [KEY.join("\\n")]],
    ["on one line with spaces", [KEY.join(" ")]],
    ["without its end", KEY.slice(0, -2)],
    ["with nothing behind its last line", KEY.slice(0, -1)],
  ])("%s", async (_, lines) => {
    const text = await redact(["const before = 1;", ...lines, "const after = 2;"].join("\n"));
    for (const part of [FIRST, SECOND, LAST.slice(0, 6)])
      if (lines.join().includes(part)) expect(text).not.toContain(part);
    expect(text).toContain("const before = 1;\n");
    expect(text).toContain("\nconst after = 2;");
    expect(text.split("\n")).toHaveLength(lines.length + 2);
  });

  test("of OpenPGP, with its fields and checksum", async () => {
    const pgp = ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: GnuPG v2", "", FIRST, SECOND, "=Xy3z"];
    const text = await redact([...pgp, "-----END PGP PRIVATE KEY BLOCK-----", "after();"].join("\n"));
    expect(text).toMatch(/^‹redacted:private-key›\n+after\(\);$/);
  });
});

describe("code behind the header of a key stays", () => {
  test.each([
    ["code", ["import os", "", "def rm(path):", "    os.system(f'rm -rf {path}')", "# -----"]],
    ["words alone", ["return total", "break", "import requests", "-----"]],
    ["long names", ["thisIsTheVeryLongNameOfAFunctionThatDoesALot(1)", "-----"]],
    ["paths", ["src/components/checkout/payment/providers/stripe", "-----END PRIVATE KEY-----"]],
  ])("%s", async (_, code) => {
    const text = ["# -----BEGIN PRIVATE KEY-----", ...code].join("\n");
    expect(await redact(text)).toBe(text);
  });

  test("code stays behind the header of a key, also where one line of a key precedes it [T18]", async () => {
    const code = ["return total", "break", "os.system(path)", "# ------------"];
    const text = await redact([`# ${HEADER} ${FIRST}`, ...code].join("\n"));
    expect(text).toBe(["# ‹redacted:private-key›", ...code].join("\n"));
  });
});
