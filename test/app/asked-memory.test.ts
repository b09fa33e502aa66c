// What memory asks of the model on the way of a real delivery: webhook, store, the vendor's SDK and
// the posted summary are real; GitHub and the model's server stand on loopback.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { loggedRetrieval, type RetrievalRow } from "../../src/store/reviews/retrievals.ts";
import { fails, says } from "../fakes/anthropic/replies.ts";
import type { ModelCall, Reply } from "../fakes/anthropic/server.ts";
import { type ModelHarness, openModelHarness } from "./model-harness.ts";
import { comment, remembering } from "./seed-memory.ts";

const SMALL = "claude-haiku-5-5";
const PATTERN = "Loop rounds each amount before they are added up and loses the rest";
const SITUATION =
  "A helper rounds each price of the cart in a loop before they are added up. The gap is that small errors of each step add up to a wrong total.";
/** The memory that the model prefers, and nobody else. */
const PREFERRED = "seventh";
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", PREFERRED, "eighth"];

let harness: ModelHarness;
let answers: (call: ModelCall, kind: Kind) => Reply = willing;
let repositories = 0;

type Kind = "gate" | "queries" | "situation" | "rerank" | "review" | "verify";

/**
 * By what the instructions say, as a model would know it: after a refusal they may stand before the
 * question.
 */
function kindOf({ system, prompt }: ModelCall): Kind {
  const words = `${system}\n${prompt}`;
  if (words.includes("Does reviewing this pull request need memory")) return "gate";
  if (words.includes("write queries for a memory of code reviews")) return "queries";
  if (words.includes("Exactly two sentences")) return "situation";
  if (words.includes("You read a pull request and order results")) return "rerank";
  return words.includes("You check drafted") ? "verify" : "review";
}

function willing(call: ModelCall, kind: Kind): Reply {
  if (kind === "gate")
    return says({ shouldRetrieve: false, confidence: 0.9, reason: "only texts", strategy: "hybrid" });
  if (kind === "queries") return says({ code: [PATTERN], convention: [], operational: [] });
  if (kind === "situation") return says({ situation: SITUATION });
  if (kind !== "rerank") return says({ findings: [], ruleFindings: [], walkthrough: "PeriodicTask prices." });
  const results = call.prompt.match(/^\[\d+\] .*\n {4}.*$/gm) ?? [];
  const place = results.findIndex((result) => result.includes(PREFERRED));
  return says({ order: place < 0 ? [0] : [place] });
}

beforeAll(async () => {
  harness = await openModelHarness({}, (call) => answers(call, kindOf(call)));
});
afterEach(() => {
  answers = willing;
  expect(harness.harness.world.violations).toEqual([]);
});
afterAll(() => harness.close());

const CART = Object.fromEntries(
  ["add", "drop", "sum", "tax", "view", "keep"].map((name) => [
    `src/cart/${name}.ts`,
    `export const ${name} = (price: number) => Math.round(price) / 100;\n`,
  ]),
);
const TEXTS = Object.fromEntries(
  Array.from({ length: 7 }, (_, at) => [`content/part${at}.yaml`, `a: the price of the cart is rounded, part ${at}\n`]),
);

/** Reviews one pull request in a repository that remembers eight comments on rounding prices. */
async function reviewed(retrieval: string, files = CART, title = "feat: round the price in the cart", more = "") {
  const { world } = harness.harness;
  const repository = await world.repository("acme", `cart-${++repositories}`, {
    files: {
      "README.md": "# Cart\n",
      ".kodiai.yml": `${more}knowledge: {retrieval: {distanceThreshold: 2, ${retrieval}}}\n`,
    },
  });
  const said = ORDINALS.map((ordinal, at) =>
    comment(repository, `${at}`, {
      text: `The price in the cart is to be rounded once, after the sum (${ordinal} time).`,
      path: "lib/money.ts",
      language: "TypeScript",
      hunk: null,
    }),
  );
  await remembering(harness.harness, said);
  const before = harness.anthropic.requests.length;
  const pull = await world.pullRequest(repository, { title, files });
  await harness.harness.settled(pull);
  const asked = harness.anthropic.requests.slice(before);
  const prompt = asked.find((call) => kindOf(call) === "review")?.prompt ?? "";
  return {
    repository,
    pull,
    asked,
    of: (kind: Kind) => asked.filter((call) => kindOf(call) === kind),
    /** The order of precedents in the prompt of the review. */
    retrieved: prompt.split("\n").flatMap((line) => /^- mem_.*\((\w+) time\)/.exec(line)?.[1] ?? []),
    summary: world.comments(pull).summary[0]?.body ?? "",
    row: <T>(sql: string) => {
      const db = new Database(join(harness.harness.dataDir, "queue.db"), { readonly: true });
      try {
        return db.prepare(sql).all(`github.com/${repository.id}`) as T[];
      } finally {
        db.close();
      }
    },
  };
}

const SWITCHES = "modelQueries: true, hypothetical: true, rerank: model, topK: 3";

test("with the switches on the small model is asked for queries, a situation and an order, and the review uses them [002-10][003-17]", async () => {
  const plain = await reviewed("rerank: off, topK: 3");
  expect(plain.asked.map(kindOf)).toEqual(["review"]);
  expect(plain.retrieved).toHaveLength(3);
  expect(plain.retrieved[0]).not.toBe(PREFERRED);

  const { asked, of, retrieved, summary, row } = await reviewed(SWITCHES);
  expect([of("queries").length, of("situation").length, of("review").length]).toEqual([1, 1, 1]);
  expect(of("rerank")).toHaveLength(1);
  expect(kindOf(asked.at(-1) as ModelCall)).toBe("review");
  expect(retrieved[0]).toBe(PREFERRED);
  expect(retrieved).toHaveLength(3);
  for (const call of asked) {
    expect(call.body.model).toBe(kindOf(call) === "review" ? "claude-sonnet-5-5" : SMALL);
    if (kindOf(call) === "review") continue;
    expect(call.body.thinking).toEqual({ type: "disabled" });
    expect(call.body).not.toHaveProperty("temperature");
    expect(call.body.output_config).toMatchObject({ effort: "low", format: { type: "json_schema" } });
    expect(call.prompt).toMatch(/kodiai-[0-9a-f]{32}/);
    expect(call.system).not.toContain("cart");
  }
  expect(of("rerank")[0]?.prompt).toContain("src/cart/add.ts");
  expect(of("rerank").every(({ body }) => body.max_tokens <= 1_000)).toBe(true);
  expect(summary).not.toContain("Incomplete");

  const spent = row<{ purpose: string; n: number; usd: number; tokens: number }>(
    "SELECT purpose, count(*) AS n, sum(usd) AS usd, sum(input_tokens) AS tokens FROM spending WHERE repo = ? GROUP BY purpose ORDER BY purpose",
  );
  expect(spent.map(({ purpose, n }) => [purpose, n])).toEqual([
    ["queries", 2],
    ["rerank", 1],
    ["review", 1],
  ]);
  expect(spent.every(({ usd }) => usd > 0)).toBe(true);
  const tokens = spent.reduce((sum, one) => sum + one.tokens, 0);
  const usd = spent.reduce((sum, one) => sum + one.usd, 0);
  expect(summary).toContain(`Cost: ${tokens} tokens in`);
  expect(summary).toContain(`USD ${usd.toFixed(4)}`);

  const [logged] = row<RetrievalRow>("SELECT query, entry FROM retrievals WHERE repo = ?").map(loggedRetrieval);
  expect(logged?.rerankScores).toHaveLength(3);
  expect(logged?.rerankScores[0]).toBe(1);
  expect(logged?.rerank).toMatchObject({ by: SMALL, failed: null });
  expect(logged?.rerankMs).toBeGreaterThanOrEqual(0);
  const forMemory = spent.filter(({ purpose }) => purpose !== "review").reduce((sum, one) => sum + one.usd, 0);
  expect(Number(logged?.usd)).toBeCloseTo(forMemory, 9);
});

test("when the small model fails the review is written as without it, and the summary says what is missing [003-20]", async () => {
  answers = (call, kind) => (kind === "review" ? willing(call, kind) : fails(400, { message: "no" }));
  const { retrieved, summary, of } = await reviewed(SWITCHES);
  expect(retrieved).toEqual((await reviewed("topK: 3")).retrieved);
  expect(summary).toMatch(/Incomplete, \d+ reason/);
  for (const part of ["model-queries", "hypothetical", "rerank"]) {
    expect(summary).toMatch(new RegExp(`^- \`${part}\`: .*it answered 400`, "m"));
  }
  expect(of("review")).toHaveLength(1);
});

test("memory spends at most a quarter of a review's money, and the summary says what was not asked", async () => {
  const small = await reviewed(SWITCHES, CART, undefined, "review: {budget: {usdPerReview: 0.002}}\n");
  expect(small.of("rerank").length).toBeLessThan(3);
  expect(small.summary).toMatch(/^- `(?:rerank|model-queries|hypothetical)`: .*the budget leaves no money/m);
  const [spent] = small.row<{ usd: number }>(
    "SELECT sum(usd) AS usd FROM spending WHERE repo = ? AND purpose <> 'review'",
  );
  expect(spent?.usd ?? 0).toBeLessThanOrEqual(0.002 / 4);
});

test("where no rule of the gate knows, the model is asked once for a head; a failure is a search [001-10][001-12][001-13]", async () => {
  const title = "Import the rest";
  const unasked = await reviewed("topK: 3", TEXTS, title);
  expect(unasked.of("gate")).toEqual([]);
  expect(unasked.retrieved).toHaveLength(3);

  const skipped = await reviewed("gate: {model: true}", TEXTS, title);
  expect(skipped.of("gate")).toHaveLength(1);
  const [call] = skipped.of("gate");
  expect(call?.body).toMatchObject({ model: SMALL, max_tokens: 100, thinking: { type: "disabled" } });
  expect(call?.prompt).toContain(`title: "${title}"`);
  expect(skipped.retrieved).toEqual([]);
  expect(skipped.summary).toContain("Memory: not searched, only texts.");

  answers = (one, kind) => (kind === "gate" ? fails(400) : willing(one, kind));
  const failed = await reviewed("gate: {model: true}, topK: 3", TEXTS, title);
  expect(failed.retrieved).toHaveLength(3);
  expect(failed.summary).toMatch(/^- `gate`: the model did not answer \(rejected\): it answered 400/m);
  const [logged] = failed.row<RetrievalRow>("SELECT query, entry FROM retrievals WHERE repo = ?").map(loggedRetrieval);
  expect(logged?.gate).toMatchObject({ retrieve: true, decidedBy: "model", confidence: 0.5 });

  answers = (one, kind) => (kind === "gate" ? says("I would rather not decide.") : willing(one, kind));
  const unreadable = await reviewed("gate: {model: true}, topK: 3", TEXTS, title);
  expect(unreadable.retrieved).toHaveLength(3);
  expect(unreadable.summary).toMatch(/^- `gate`: .*not of the form asked for/m);
});

test("with the model switched off for the repository no question is sent, and the summary says why", async () => {
  const { asked, summary } = await reviewed(SWITCHES, CART, undefined, "review: {model: off}\n");
  expect(asked).toEqual([]);
  expect(summary).toMatch(/^- `rerank`: no model may be asked/m);
  expect(summary).toMatch(/^- `model-queries`: no model may be asked/m);
});

test.each([
  ["does not answer", fails(529)],
  ["answers something else", says({ nothing: "of the kind" })],
] as const)("a model that %s when it reranks is not asked again, and the order stays [003-29]", async (_, reply) => {
  const plain = await reviewed("rerank: off, topK: 3");
  answers = (call, kind) => (kind === "rerank" ? reply : willing(call, kind));
  const { of, retrieved, summary } = await reviewed("rerank: model, topK: 3");
  expect(of("rerank")).toHaveLength(1);
  expect(retrieved).toHaveLength(3);
  expect(plain.retrieved).toHaveLength(3);
  expect(retrieved).not.toContain(PREFERRED);
  expect(summary).toMatch(/^- `rerank`: /m);
});
