import { describe, expect, test } from "vitest";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import type { Finding } from "../../src/domain/finding.ts";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import { parseDiff } from "../../src/gather/parse-diff.ts";
import { findingHunks } from "../../src/learn/remember/from-finding.ts";

const redactor = secretRedactor();
const redact = async (text: string) => (await redactor.redact(text)).text;

function files(text: string): readonly FileDiff[] {
  return parseDiff(text).files;
}

const DIFF = [
  "diff --git a/ops/backup.py b/ops/backup.py",
  "--- a/ops/backup.py",
  "+++ b/ops/backup.py",
  "@@ -10,4 +10,5 @@ def backup(name):",
  "     path = '/backup/' + name",
  "-    run(['tar', path])",
  "+    run('tar ' + path, shell=True)",
  "+    log(path)",
  "     return path",
  " ",
  "@@ -40,2 +41,3 @@",
  " def restore():",
  "+    pass",
  " ",
  "",
].join("\n");

function about(line: number, more: Partial<Finding> = {}): Finding {
  return { id: `fnd_${line}`, path: "ops/backup.py", side: "RIGHT", startLine: line, line, ...more } as Finding;
}

test("a finding keeps its hunk down to its last line, as GitHub shows it above a comment", async () => {
  expect(await findingHunks([about(11), about(42)], files(DIFF), redact)).toEqual([
    {
      findingId: "fnd_11",
      hunk: [
        "@@ -10,4 +10,5 @@ def backup(name):",
        "     path = '/backup/' + name",
        "-    run(['tar', path])",
        "+    run('tar ' + path, shell=True)",
      ].join("\n"),
    },
    { findingId: "fnd_42", hunk: "@@ -40,2 +41,3 @@\n def restore():\n+    pass" },
  ]);
});

test("a finding about a removed line ends there; one outside the diff, or of another file, has no hunk", async () => {
  const found = await findingHunks(
    [about(11, { side: "LEFT", id: "left" }), about(99), about(11, { path: "constructor" })],
    files(DIFF),
    redact,
  );
  expect(found.map(({ findingId, hunk }) => [findingId, hunk.split("\n").at(-1)])).toEqual([
    ["left", "-    run(['tar', path])"],
  ]);
});

describe("what is kept", () => {
  const KEY = [
    "-----BEGIN RSA PRIVATE KEY-----",
    ...("MIIEowIBAAKCAQEAx".repeat(12).match(/.{1,64}/g) ?? []),
    "-----END RSA PRIVATE KEY-----",
  ];
  const added = (lines: readonly string[]) =>
    files(
      `diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`,
    );

  test("holds no secret, not even the half of one that the cut went through", async () => {
    const token = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
    const lines = [`token = "${token}"`, "key = (", ...KEY, ")", "run(x, shell=True)"];
    const [whole, half] = await findingHunks(
      [about(lines.length, { path: "a.py" }), about(6, { path: "a.py", id: "fnd_half" })],
      added(lines),
      redact,
    );
    expect([whole, half].map((kept) => kept?.findingId)).toEqual([`fnd_${lines.length}`, "fnd_half"]);
    for (const kept of [whole, half]) {
      expect(kept?.hunk).not.toContain(token);
      expect(kept?.hunk).not.toContain("MIIEowIBAAKCAQEAx");
    }
    expect(whole?.hunk.split("\n").at(-1)).toBe("+run(x, shell=True)");
  });

  test("is at most 4,000 characters, its end rather than its beginning", async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `line_${n} = ${n}`);
    const [kept] = await findingHunks([about(2_000, { path: "a.py" })], added(lines), redact);
    expect(kept?.hunk.length).toBeLessThanOrEqual(4_000);
    expect(kept?.hunk.split("\n").slice(0, 2)).toEqual(["@@ -0,0 +1,3000 @@", "…"]);
    expect(kept?.hunk.endsWith("+line_1999 = 1999")).toBe(true);
  });

  test("is taken from a hunk of any size in a bearable time", async () => {
    const lines = ["x = 1", `y = "${"ab ".repeat(350_000)}"`, "z = 2"];
    const found = await findingHunks(
      [about(1), about(2), about(3)].map((one) => ({ ...one, path: "a.py" })),
      added(lines),
      redact,
    );
    expect(found.map(({ hunk }) => hunk.length <= 4_000)).toEqual([true, true, true]);
  });
});
