// The code around a change, read from the repository at its head, stands in what the model is asked.
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

test("lines from within a private key never reach the model, whichever part of the file is shown", async () => {
  // 76 characters a line, as MIME has them: without the header nothing says that this is a key. One uses the changed name.
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
