import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectSecrets } from "../../../src/adapters/secrets/detect-secrets.ts";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { runs } from "../../property-runs.ts";
import { ENCODINGS, TOKENS } from "./encodings.ts";
import { secretFixtures } from "./shared-fixtures.ts";

/** Values as operators set them: no published format gives them away. */
const OWN = ["4f9c2d7be81a4c0f9d3b6a5e2c7f8d10", "kP4!x/9=Zz#w+Q7v", "vk-live canary 77a1".replaceAll(" ", "-")];
const redactor = secretRedactor();
const ours = secretRedactor(new Set(OWN));

async function expectHidden(text: string, hidden: string, by = redactor): Promise<void> {
  const once = await by.redact(text);
  expect(once.text).not.toContain(hidden);
  expect(once.found.length).toBeGreaterThan(0);
  expect(once.text.split("\n").length).toBe(text.split("\n").length);
  expect((await by.redact(once.text)).text).toBe(once.text);
}

describe.each(ENCODINGS)("%s", (_, encode) => {
  test.each(TOKENS)("hides no %s", async (_, token) => {
    for (const around of ["The value is # here.", "key=#", "#", '{"key":"#"}', "`#`", "(#)", "- #\n- and more"])
      await expectHidden(
        around.replace("#", () => encode(token)),
        encode(token),
      );
  });

  test("hides none of our own secrets [T9]", async () => {
    for (const secret of OWN) await expectHidden(`It is ${encode(secret)} here.`, encode(secret), ours);
  });

  test("keeps what is not secret as it was", async () => {
    const text = encode("The quick brown fox jumps over the lazy dog, 1234567 times.");
    expect(await ours.redact(text)).toEqual({ text, found: [] });
  });
});

test("the kind of a disguised secret is named", async () => {
  const [, token] = TOKENS[0] ?? ["", ""];
  const { text, found } = await redactor.redact(`a ${Buffer.from(token).toString("base64")} b`);
  expect({ text, found }).toEqual({ text: "a ‹redacted:github-token› b", found: [{ kind: "github-token" }] });
});

test("two encodings in one another hide nothing either", async () => {
  const [, token] = TOKENS[0] ?? ["", ""];
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  for (const twice of [
    base64(base64(token)),
    base64(Buffer.from(token).toString("hex")),
    encodeURIComponent(base64(`password and ${token}?`)),
    encodeURIComponent(encodeURIComponent([...token].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(""))),
    JSON.stringify(JSON.stringify([...token].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(""))),
    base64(token).replace(/.{9}/g, "$&\n"),
  ])
    await expectHidden(`It is ${twice} here.`, twice);
});

test("a private key in base64, as clusters keep it, is hidden", async () => {
  const body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MzEfYyjiWA4R4/M2bS1GB4t7NXp98"];
  const pem = [["-----BEGIN ", "PRIVATE KEY-----"].join(""), ...body, "-----END PRIVATE KEY-----"].join("\n");
  await expectHidden(`tls.key: ${Buffer.from(pem).toString("base64")}\n`, Buffer.from(pem).toString("base64"));
});

test("a token that a diff splits over lines or strings is hidden, and every line stays", async () => {
  const [, token] = TOKENS[0] ?? ["", ""];
  const [a, b] = [token.slice(0, 14), token.slice(14)];
  for (const text of [
    `12#3fa1:+const key = "${a}" +\n13#77aa:+  "${b}";\n14#0c0c: next`,
    `+key = ("${a}"\n+       "${b}")`,
    `> ${a}\n> ${b}`,
    `const key = ["${a}", "${b}"].join("");`,
  ]) {
    const { text: redacted } = await redactor.redact(text);
    expect(redacted).not.toContain(a);
    expect(redacted).not.toContain(b);
    expect(redacted.split("\n").length).toBe(text.split("\n").length);
  }
});

test("what follows a whole token on the next line is not part of it", async () => {
  const [, token] = TOKENS[0] ?? ["", ""];
  expect((await redactor.redact(`key ${token}\nend of it`)).text).toBe("key ‹redacted:github-token›\nend of it");
});

test("short words and words without a digit are no secrets, even as the key of a local server", async () => {
  const by = secretRedactor(new Set(["ollama", "lm-studio", "not-needed"]));
  const text = "Start ollama or lm-studio; a key is not-needed.";
  expect((await by.redact(text)).text).toBe(text);
});

test("a token is removed in every place and every form [T9]", async () => {
  const around = fc.string({ unit: fc.constantFrom(..." \n\"'`=:;,.()<>[]{}/é🚀abc129%\\&#"), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(around, fc.constantFrom(...TOKENS), fc.constantFrom(...ENCODINGS), around, async (a, t, e, b) => {
      const written = e[1](t[1]);
      const { text } = await redactor.redact(`${a} ${written} ${b}`);
      expect(text).not.toContain(written);
      expect(text.split("\n").length).toBe(`${a} ${written} ${b}`.split("\n").length);
    }),
    runs(400),
  );
});

const fixtures = secretFixtures();
test.skipIf(fixtures === null)(
  "what other scanners hold for no secret is hardly ever taken for a disguised one",
  async () => {
    const innocent = (fixtures ?? []).filter(({ label }) => label !== "secret");
    expect(innocent.length).toBeGreaterThan(50);
    const changed: string[] = [];
    for (const { text, case: name } of innocent) {
      const plain = await detectSecrets(text);
      if ((await redactor.redact(text)).found.length !== plain.length) changed.push(name);
    }
    expect(changed.length, changed.join()).toBeLessThanOrEqual(innocent.length * 0.05);
  },
);
