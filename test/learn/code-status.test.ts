import { expect, test } from "vitest";
import { shapeOf, tokenStream } from "../../src/domain/code/code-fingerprint.ts";
import type { Finding } from "../../src/domain/finding.ts";
import { codeStatus } from "../../src/learn/feedback/collect-evidence.ts";

const FILE = [
  "export async function refresh(token: string, store: Store) {",
  "  await store.save('session', token, { ttl: 3600 }).catch(() => {})",
  "  return token",
  "}",
].join("\n");
const SAVE = "  await store.save('session', token, { ttl: 3600 }).catch(() => {})";

const stream = (text: string) => tokenStream(text.split("\n").map((line, at) => ({ line: at + 1, text: line })));
const said = (with_: Partial<Finding> = {}) => ({
  finding: {
    ...{ id: "fnd_0123456789ab", path: "src/session.ts", startLine: 2, line: 2, side: "RIGHT", severity: "major" },
    ...{ category: "reliability", rule: null, title: "Swallowed", body: "", source: "model", confidence: 0.8 },
    ...{ suggestion: null, precedents: [] },
    ...with_,
  } as Finding,
  shape: shapeOf(stream(FILE), 2, 2),
});
const suggests = (text: string) => said({ suggestion: { startLine: 2, line: 2, text } });

test.each([
  ["as it was", FILE, "unchanged"],
  ["reformatted and moved", `// Kept for a day.\n${FILE.replace(".catch", "\n      .catch")}`, "unchanged"],
  ["continued on its line", FILE.replace("{})", "{}).finally(done)"), "changed"],
  ["edited", FILE.replace(".catch(() => {})", ""), "changed"],
  ["gone from its file", FILE.replace(`${SAVE}\n`, ""), "changed"],
  ["gone with its file", null, "changed"],
])("code that is %s", (_how, text, fate) => {
  expect(codeStatus(said(), text)).toBe(fate);
});

test("code that matches the suggestion was applied, in any form; the suggestion beside the old code was not", () => {
  const fixed = "  await store.save('session', token, { ttl: 3600 })";
  expect(
    codeStatus(suggests(fixed), FILE.replace(SAVE, '  await store\n    .save("session", token, { ttl: 3600 });')),
  ).toBe("applied");
  expect(codeStatus(suggests(fixed), `${FILE}\n${fixed}`)).toBe("unchanged");
  // To delete the lines is suggested by nothing that could be found.
  expect(codeStatus(suggests(" "), FILE.replace(`${SAVE}\n`, ""))).toBe("changed");
});

test("code that a suggestion only adds to was applied although it still stands there", () => {
  const more = SAVE.replace(".catch(() => {})", ".catch(() => {}).finally(done)");
  const further = `${SAVE}\n  await store.flush(token, { wait: true })`;
  for (const added of [SAVE.replace("3600 }", "3600 }, signal"), SAVE.replace("save(", "save(await "), more, further]) {
    expect(codeStatus(suggests(added), FILE.replace(SAVE, added)), added).toBe("applied");
    expect(codeStatus(suggests(added), FILE), added).toBe("unchanged");
    // Below the old code, and not in its place.
    expect(codeStatus(suggests(added), FILE.replace("  return token", `${added}\n  return token`)), added).toBe(
      "unchanged",
    );
  }
});

test.each([
  ["about a removed line", { side: "LEFT" as const }],
  ["about a whole file", { locMethod: "none" as const }],
])("of a finding %s no status is known", (_what, with_) => {
  expect(codeStatus(said(with_), FILE)).toBeNull();
  expect(codeStatus(said(with_), null)).toBeNull();
});

test("of code that was never known no status is known", () => {
  expect(codeStatus({ ...said(), shape: { before: [1], at: [], after: [2] } }, FILE)).toBeNull();
});

test("a text of one megabyte is judged at once", () => {
  for (const text of ["store.save(".repeat(90_000), "\n".repeat(1_000_000), "x".repeat(1_000_000)]) {
    expect(codeStatus(said(), text)).toBe("changed");
  }
});
