// The code around a change, read from the repository at its head, stands in what the model is
// asked.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type ModelHarness, openModelHarness } from "./model-harness.ts";

let harness: ModelHarness;

beforeAll(async () => {
  const nothing = says({ findings: [], ruleFindings: [], walkthrough: "PeriodicTask prices." });
  harness = await openModelHarness({}, () => nothing);
});
afterAll(() => harness.close());

const FILLER = Array.from({ length: 12 }, (_, at) => `  const step${at} = rate * ${at};`).join("\n");
const priced = (last: string) => `export function priceOf(items: number, rate: number): number {
  if (rate < 0) throw new RangeError("negative rate");
${FILLER}
  ${last}
}
`;
const BASE = {
  "README.md": "# Shop\n",
  "src/price.ts": priced("return items * rate;"),
  "src/checkout.ts": `import { priceOf } from "./price.ts";

export function total(cart: { count: number }): string {
  return "EUR " + priceOf(cart.count, 1.5).toFixed(2);
}
`,
  "src/round.ts": `export function roundedPrice(value: number): number {
  return Math.floor(value * 100) / 100;
}
`,
};

test("the enclosing function, what an added line calls and who calls what changed", async () => {
  const changed = { "src/price.ts": priced("return roundedPrice(items * rate);") };
  const { asked, state } = await harness.review("Round prices", changed, BASE);
  expect(state).toBe("done");
  const [question] = asked;
  expect(question?.prompt).toContain("# The code around the change");
  const around = (question?.prompt ?? "")
    .split("# The code around the change")[1]
    ?.split("# This is the whole diff")[0];
  expect(around).toContain('if (rate < 0) throw new RangeError("negative rate");');
  expect(around).toContain("return Math.floor(value * 100) / 100;");
  expect(around).toContain(
    "### src/checkout.ts: uses priceOf\n(line 3)\nexport function total(cart: { count: number }): string {",
  );
  expect(around).toContain('  return "EUR " + priceOf(cart.count, 1.5).toFixed(2);');
  // Lines of the diff are not told twice.
  expect(around).not.toContain("return roundedPrice(items * rate);");
});

test("the base, what a called function promises, versions and test options; nothing by its words alone", async () => {
  const square = (area: string) => `import { padded } from "left-pad";
import { clamped } from "./clamp.ts";
import { Shape } from "./shape.ts";

export class Square extends Shape {
  side = 2;
${Array.from({ length: 12 }, (_, at) => `  corner${at}() {\n    return padded(${at});\n  }`).join("\n")}
  area() {
${FILLER.replaceAll("rate", "this.side")}
    return ${area};
  }
}
`;
  const tested = (side: number) =>
    `import { Square } from "../src/square.ts";\nexpect(new Square(${side}).area()).toBe(4);\n`;
  const base = {
    ...BASE,
    "package.json":
      '{\n  "name": "shop",\n  "dependencies": {\n    "left-pad": "1.2.3",\n    "other": "9.9.9"\n  }\n}\n',
    "vitest.config.ts": "export default { test: { testTimeout: 7_000 } };\n",
    "src/square.ts": square("clamped(this.side)"),
    "src/shape.ts":
      "export abstract class Shape {\n  /** Square metres, never negative. */\n  abstract area(): number;\n}\n",
    "src/clamp.ts": `/** Throws for negative values. */\nexport function clamped(value: number): number {\n${FILLER.replaceAll("rate", "value")}\n  return Math.min(value, 100);\n}\n`,
    "src/far/pool.ts": 'export function close(): void {\n  throw new Error("of a pool");\n}\n',
    "test/square.test.ts": tested(1),
    "docs/area.md": "# area\n\narea: the size of a Square\nside: its length\n",
    ".github/workflows/ci.yml": "jobs:\n  area:\n    clamped: 1\n",
  };
  const changed = {
    "src/square.ts": square("clamped(this.side * this.side) + file.close()"),
    "test/square.test.ts": tested(2),
  };
  const { asked, state } = await harness.review("Square the side", changed, base);
  expect(state).toBe("done");
  const around = (asked[0]?.prompt ?? "")
    .split("# The code around the change")[1]
    ?.split("# This is the whole diff")[0];
  for (const text of [
    "/** Square metres, never negative. */",
    "/** Throws for negative values. */",
    "return Math.min(value, 100);",
    '"left-pad": "1.2.3"',
    "testTimeout: 7_000",
    "  corner11() {",
  ])
    expect(around).toContain(text);
  for (const text of ["of a pool", "docs/area.md", "ci.yml", '"other"']) expect(around).not.toContain(text);
});

test("lines from within a private key never reach the model, whichever part of the file is shown", async () => {
  // 76 characters a line, as MIME has them: without the header nothing says that this is a key. One
  // uses the changed name.
  const bytes = (at: number) => createHash("sha512").update(`line ${at}`).digest().subarray(0, 57);
  const key = Array.from({ length: 80 }, (_, at) => bytes(at).toString("base64"));
  const using = key[40]?.replace(/^.{9}/, "/priceOf/") ?? "";
  const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} RSA PRIVATE KEY-----`);
  const pem = (lines: readonly string[]) => `${begin}\n${lines.join("\n")}\n${end}\n`;
  // Too long to be shown whole: what is around the hunk begins within the key.
  const rates = (rate: number) =>
    `${pem(key)}currency: EUR\nregion: eu\nvat: 19\nrate: ${rate}\n${"- one\n".repeat(500)}`;
  const base = { ...BASE, "deploy/rates.yml": rates(1), "deploy/server.sh": pem(key.with(40, using)) };
  const changed = { "deploy/rates.yml": rates(2), "src/price.ts": priced("return rate * items;") };
  const { asked, state } = await harness.review("Raise the rate", changed, base);
  expect(state).toBe("done");
  const prompts = asked.map(({ prompt }) => prompt).join("\n");
  expect(prompts).toContain("currency: EUR");
  expect(prompts).toMatch(/^### deploy\/server.sh: uses priceOf$|^deploy\/server.sh:\d+:/m);
  expect([...key, using].filter((line) => prompts.includes(line))).toEqual([]);
});
