import fc from "fast-check";
import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { statelessToken } from "../../fakes/github/stateless-token.ts";
import { runs } from "../../property-runs.ts";

const redactor = secretRedactor();
const join = (...parts: readonly string[]) => parts.join("");

const GITHUB = join("ghp", "_", "k9XwQ2mZ7bLr4TnVy8Jc1HsPd6GfAe3uRo5E");
/** As GitHub makes them for installations since 2026: `ghs_APPID_JWT`. */
const STATELESS = statelessToken();
const PEM = [
  join("-----BEGIN RSA ", "PRIVATE KEY-----"),
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
  "-----END RSA PRIVATE KEY-----",
].join("\n");

const TOKENS: readonly (readonly [string, string])[] = [
  ["github-token", GITHUB],
  ["github-token", STATELESS],
  ["aws-access-key", join("AK", "IA", "Q7ZN5WVKXL3RTYBM")],
  ["stripe-key", join("sk", "_live_", "9fKq2mLx8vRtZw4Yb6Nc")],
  ["google-api-key", join("AI", "za", "SyB9k2mLx8vRtZw4Yb6NcQ7dJ3hP5gF1aE0")],
  ["pypi-token", join("pypi-", "AgEIcHlwaS5vcmc", "CJDk2mLx8vRtZw4Yb6NcQ7dJ3hP5gF1aE0k2mLx8vRtZw4Yb6NcQ7dJ3hP")],
  ["digitalocean-token", join("dop", "_v1_", "3f9a1c7e5b2d8046f1a9c3e7b5d20864f9a1c7e3b5d2084617a9c3e5b7d20f68")],
];

test.each(TOKENS)("a %s is replaced by its kind, and what surrounds it stays", async (kind, token) => {
  const { text, found } = await redactor.redact(`first line\nconst key = "${token}"; // mine\nlast line`);
  expect(text).toBe(`first line\nconst key = "‹redacted:${kind}›"; // mine\nlast line`);
  expect(found).toEqual([{ kind }]);
});

test.each([
  ["cut off before its signature", STATELESS.slice(0, STATELESS.lastIndexOf("."))],
  ["cut off in its first part", STATELESS.slice(0, 45)],
  ["as base64", Buffer.from(STATELESS).toString("base64")],
  ["in two strings", [STATELESS.slice(0, 20), STATELESS.slice(20)].join('" +\n      "')],
])("an installation token %s is hidden whole", async (_how, disguised) => {
  const { text, found } = await redactor.redact(`const key = "${disguised}"; // mine`);
  expect(text.replaceAll("\n", "")).toBe('const key = "‹redacted:github-token›"; // mine');
  expect(found).toEqual([{ kind: "github-token" }]);
});

test("an installation token ends where its sentence goes on", async () => {
  expect(STATELESS.length).toBeGreaterThan(500);
  const { text } = await redactor.redact(`It was ${STATELESS}. Then \`${STATELESS}\`, and`);
  expect(text).toBe("It was ‹redacted:github-token›. Then `‹redacted:github-token›`, and");
});

test("a private key keeps its number of lines", async () => {
  const { text, found } = await redactor.redact(`a\n${PEM}\nb`);
  expect(text).toBe("a\n‹redacted:private-key›\n\n\n\nb");
  expect(found).toEqual([{ kind: "private-key" }]);
});

test("only the password of a URL goes; user, host and path stay readable", async () => {
  const { text } = await redactor.redact(
    join("DATABASE_URL=postgres://", "billing:", "kV9rtqLmW2xz@db.acme.io:5432/billing"),
  );
  expect(text).toMatch(/^DATABASE_URL=postgres:\/\/billing:‹redacted:[a-z-]+›@db\.acme\.io:5432\/billing$/);
});

test.each(["password = ", "  DB_PASSWORD=", "7#3fa1:+passphrase: ", "export MYSQL_PWD="])(
  "words with hyphens are a password if nothing else follows %j",
  async (key) => {
    const { text } = await redactor.redact(`[shop]\n${key}correct-horse-battery-staple\r\nhost = db.acme.io`);
    expect(text).toBe(`[shop]\n${key}‹redacted:password›\r\nhost = db.acme.io`);
  },
);

test("code about passwords stays as it is [T18]", async () => {
  const code = [
    "const password = await readPassword(prompt);",
    "if (user.password !== input.password) throw new Error('Wrong password');",
    `password: \${DB_PASSWORD}`,
    "  token: string;",
    "const tokens = tokenize(source);",
    "API_KEY=<your api key>",
    'apiKey: process.env["API_KEY"],',
    "secretKeyRef: { name: db-secret, key: password }",
    "forgotPassword: forgot-password-link",
    "const password = first-second-third;",
    "password: read-only",
    "  refresh_token: value,",
    "o365AuthCredentials: {",
    "  refresh_token: oauth2Token,",
    "  refresh_token: o365AuthCredentials.refresh_token",
    "token = oauth2Client(settings)",
    "const credentials = o365AuthCredentials;",
    "password = md5_password",
    'response = ask(api_key, "anthropic/claude", messages)',
  ].join("\n");
  expect(await redactor.redact(code)).toEqual({ text: code, found: [] });
});

test("a comment that switches secretlint off does not switch redaction off", async () => {
  // A format that only secretlint knows.
  const token = join("tskey", "-api-", "k9XwQ2mZ7bLr-4TnVy8Jc1HsPd6GfAe3uRo5E");
  const { text } = await redactor.redact(
    `/* secretlint-disable */\nconst mine = "${token}"; // secretlint-disable-line`,
  );
  expect(text).not.toContain(token);
});

test("within any text a secret is removed, the number of lines stays, and redacting again changes nothing", async () => {
  const around = fc.array(
    fc.oneof(
      fc.constantFrom("\n", " ", '"', "'", "=", "password: ", "https://", "`", ":"),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    ),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(around, fc.constantFrom(...TOKENS), around, async (before, [, token], after) => {
      const text = `${before.join("")}\n ${token} \n${after.join("")}`;
      const once = await redactor.redact(text);
      expect(once.text).not.toContain(token);
      expect(once.found.length).toBeGreaterThan(0);
      expect(once.text.split("\n").length).toBe(text.split("\n").length);
      expect((await redactor.redact(once.text)).text).toBe(once.text);
    }),
    runs(300),
  );
});

test("any text at all keeps its lines and never fails", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 400 }), async (text) => {
      const { text: redacted } = await redactor.redact(text);
      expect(redacted.split("\n").length).toBe(text.split("\n").length);
    }),
    runs(300),
  );
});

test("while a long text is redacted the process does its other work", async () => {
  const code = `${PEM}\nconst token = "${GITHUB}"; // ${"call(it, again); ".repeat(6)}\n`;
  const text = code.repeat(Math.ceil(200_000 / code.length));
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const { text: redacted } = await redactor.redact(text);
  isOver = true;
  expect(turns).toBeGreaterThan(20);
  expect(redacted).not.toContain(GITHUB);
  expect(redacted.split("\n")).toHaveLength(text.split("\n").length);
});

test("a private key in a diff with anchors is masked, its end delivered or not", async () => {
  const drawn = PEM.split("\n").map((line, at) => `${at + 7}#3fa1:+${line}`);
  for (const lines of [drawn, drawn.slice(0, -1)]) {
    const { text } = await redactor.redact(["6#77aa: keys:", ...lines].join("\n"));
    expect(text).not.toContain("MIIEvQIBADANBgkqhkiG9w0");
    expect(text).not.toContain("MzEfYyjiWA4R4");
    expect(text.split("\n")).toHaveLength(lines.length + 1);
  }
});
