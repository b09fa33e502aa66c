// search, stats and explain as people run them: a real clone, a real memory in a folder, a process
// each.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { stats } from "../../src/cli/data/stats.ts";
import { search } from "../../src/cli/memory/search.ts";
import { UsageError } from "../../src/config/usage-error.ts";

import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { openQueueFile } from "../../src/store/queue/clock.ts";
import { loggedRetrieval, type RetrievalRow, storedRetrievals } from "../../src/store/reviews/retrievals.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";
import { says } from "../fakes/anthropic/replies.ts";
import { startAnthropic } from "../fakes/anthropic/server.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

let clone: Clone;
let dataDir: string;
const run = (words: readonly string[], env: Record<string, string> = {}) => kodiai(words, { cwd: clone.path, env });
/** The same without a process of its own, as JSON. */
const searched = async (...words: readonly string[]) => {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  try {
    const here = words.includes("--repo") ? [] : ["--repo", clone.path];
    expect(await search([...words, ...here, "--data-dir", dataDir, "--json"])).toBe(0);
  } finally {
    spy.mockRestore();
  }
  return JSON.parse(printed.join("\n"));
};
const paths = ({ results }: { results: { path: string; symbol: string }[] }) =>
  results.map(({ path, symbol }) => `${path} ${symbol}`);
const rows = () => {
  const db = new Database(join(dataDir, "queue.db"), { readonly: true });
  try {
    const kept = db.prepare("SELECT query, entry FROM retrievals ORDER BY row").all() as RetrievalRow[];
    return kept.map(loggedRetrieval);
  } finally {
    db.close();
  }
};

beforeAll(async () => {
  clone = newClone();
  dataDir = join(mkdtempSync(join(tmpdir(), "kodiai-search-")), "data");
  clone.write({
    "README.md":
      "# Shop\n\n## Prices\n\nPrices are rounded half to even, in cents.\n\n## Payments\n\nRetry a charge only with an idempotency key.\n",
    "docs/pay/charge.md": "# charge\n\nSends an amount with its idempotency key.\n\n```ts\ncharge(amount, key);\n```\n",
    "docs/cart/price.md": "# roundPrice\n\nRounds a price to whole cents.\n\n```ts\nroundPrice(price);\n```\n",
    "docs/tools/price.md": "# round_price\n\nRounds a price in scripts.\n\n```python\nround_price(price)\n```\n",
    "src/cart/price.ts": "export function roundPrice(price: number) {\n  return Math.round(price * 100) / 100;\n}\n",
    "comment.jsonl": `${exportLine(givenRecord({ text: "A retried charge needs the same idempotency key.", outcome: "accepted" }))}\n`,
  });
  clone.commit("Lay the ground");
  const done = await run(["index", "--data-dir", dataDir]);
  if (done.code !== 0) throw new Error(done.err);
});
afterAll(() => {
  clone.remove();
  rmSync(join(dataDir, ".."), { recursive: true });
});

test("where nothing is remembered, it is said of whom, where and what to do, and no file is made [003-28]", async () => {
  const nowhere = join(dataDir, "../none");
  const [here, other, figures] = await Promise.all([
    run(["search", "prices", "--data-dir", nowhere]),
    run(["search", "prices", "--repo", "acme/shop", "--data-dir", dataDir]),
    run(["stats", "--data-dir", nowhere]),
  ]);
  expect(here).toMatchObject({
    code: 3,
    out: "",
    err: expect.stringMatching(
      /there are no memories of local\/kodiai-cli-\w+ in .*none\. Index a clone of it \(kodiai index/,
    ),
  });
  expect(other).toMatchObject({
    code: 2,
    err: expect.stringMatching(/no memories of acme\/shop .* In memory, nearest first: local\/kodiai-cli-/),
  });
  expect(figures).toMatchObject({ code: 0, out: expect.stringContaining("no searches") });
  expect(existsSync(nowhere)).toBe(false);
});

test.each([
  [[], "name the text to search for"],
  [[" "], "name the text to search for"],
  [["x", "--top", "0"], "--top takes a whole number from 1 to 100"],
  [["x", "--top", "2.5"], "--top takes a whole number from 1 to 100"],
  [["x", "--threshold", "1.5"], "--threshold takes a number from 0 to 1"],
  [["x", "--threshold", ""], "--threshold takes a number from 0 to 1"],
  [["x", "--threshold", "0.5", "--method", "keyword"], "--method keyword does not use"],
  [["x", "--method", "magic"], "--method takes one of semantic, keyword, hybrid"],
  [["x", "--corpus", "docs"], "--corpus takes one of"],
  [["x", "--format", "sarif"], "--format takes one of pretty, json"],
  [["x", "--langage", "go"], "did you mean --language?"],
  [["x", "--repo", "no such folder"], "is neither a folder nor OWNER/NAME"],
])("search with %j is a mistake of usage", async (words, says) => {
  const asked = search([...words, "--data-dir", dataDir]);
  await expect(asked).rejects.toThrow(UsageError);
  await expect(asked).rejects.toThrow(says);
});

test.each([
  [["--window", "soon"], "--window takes minutes, hours or days"],
  [["--window", "31d"], "up to 30d"],
  [["--window", "0h"], "--window takes"],
  [["now"], 'unexpected argument "now"'],
  [["--repo", "a b"], "is neither a folder nor OWNER/NAME"],
])("stats with %j is a mistake of usage", async (words, says) => {
  const asked = stats([...words, "--data-dir", dataDir]);
  await expect(asked).rejects.toThrow(UsageError);
  await expect(asked).rejects.toThrow(says);
});

test("--rerank asks the operator's model where there is no reranker", async () => {
  const anthropic = await startAnthropic({ replies: () => says({ order: [1, 2, 0] }) });
  try {
    const asked = ["search", "round a price to cents", "--rerank", "--top", "2", "--json", "--data-dir", dataDir];
    const env = { ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef", ANTHROPIC_BASE_URL: anthropic.url };
    const plain = await run(asked.filter((word) => word !== "--rerank"));
    const { code, out, err } = await run(asked, env);
    expect([code, err]).toEqual([0, ""]);
    expect(anthropic.requests).toHaveLength(1);
    expect(paths(JSON.parse(out))).not.toEqual(paths(JSON.parse(plain.out)));
  } finally {
    await anthropic.close();
  }
});

test("the command line ends a mistake of usage with 2", async () => {
  const { code, err } = await run(["search", "x", "--rerank", "--data-dir", dataDir]);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(
      /^kodiai search: --rerank: neither a reranker nor a model is configured; .* or leave --rerank out\n?$/,
    ),
  });
});

test("search prints both ranks, raw distance, the terms of each score, date and score, for people and as JSON [002-23][003-47]", async () => {
  const { code, out } = await run(["search", "round a price to cents", "--data-dir", dataDir]);
  expect(code).toBe(0);
  const [, score = "", shownScore = "", shownTerms = ""] =
    /^1\. (-?\d+\.\d{3}) {2}\S+[\s\S]*? (-?\d+\.\d{3}) = (.+)$/m.exec(out) ?? [];
  expect(shownScore).toBe(score);
  expect(shownTerms).toMatch(/^(?:− )?words \d\.\d{3} \+ meaning 0\.000 [+−] recency \d\.\d{3}$/);
  const parts = [...` ${shownTerms}`.matchAll(/(−)?[ +\w]*? (\d+\.\d{3})/g)];
  const sum = parts.reduce((all, [, minus, value]) => all + (minus ? -1 : 1) * Number(value), 0);
  expect(sum.toFixed(3)).toBe(score);
  expect(out).toMatch(
    /meaning #\d \(distance 0\.\d{3}, (?:high|medium|low|very low) confidence\) {2}words #\d \(BM25 \d+\.\d\)/,
  );
  expect(out).toMatch(/of \d candidates? among 5 memories of local\/kodiai-cli-\w+, hybrid, distance at most/);
  const json = await searched("round a price to cents");
  expect(json).toMatchObject({
    version: 2,
    asked: { method: "hybrid", topK: 10 },
    searches: [{ usage: { texts: 1 } }],
  });
  expect(json.results[0]).toMatchObject({
    id: expect.stringMatching(/^mem_/),
    distance: expect.any(Number),
    vectorRank: expect.any(Number),
    keywordRank: expect.any(Number),
    terms: expect.arrayContaining([{ name: "words", value: expect.any(Number) }]),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    url: null,
  });
});

test("filters: language by its name, kind of chunk, path exact, by prefix and by glob, corpus [003-04][003-05][003-06][003-47]", async () => {
  const text = "round the price of a charge";
  const all = ["--threshold", "0"];
  const ts = await searched(text, ...all, "--language", "TypeScript");
  const sections = await searched(text, ...all, "--type", "section");
  const exact = await searched(text, ...all, "--path", "docs/tools/price.md");
  const prefix = await searched(text, ...all, "--path", "docs/cart/");
  const glob = await searched(text, ...all, "--path", "**/{price,charge}.md");
  const docs = await searched(text, ...all, "--corpus", "doc");
  const both = await searched(
    ...[text, ...all, "--language", "python,typescript", "--path", "docs/pay/", "--path", "docs/tools/"],
  );
  expect(paths(ts).toSorted()).toEqual(["docs/cart/price.md roundPrice", "docs/pay/charge.md charge"]);
  expect(paths(sections)).toHaveLength(5);
  expect(paths(exact)).toEqual(["docs/tools/price.md round_price"]);
  expect(paths(prefix)).toEqual(["docs/cart/price.md roundPrice"]);
  expect(paths(glob)).toHaveLength(3);
  expect(docs.results.map(({ corpus }: { corpus: string }) => corpus)).toEqual(Array(5).fill("doc"));
  expect(paths(both).toSorted()).toEqual(["docs/pay/charge.md charge", "docs/tools/price.md round_price"]);
});

test("several texts give one list, each memory once; a repository is also known by its name", async () => {
  expect((await run(["memory", "import", join(clone.path, "comment.jsonl"), "--data-dir", dataDir])).code).toBe(0);
  const two = await searched("round a price", "idempotency key of a charge", "--top", "2");
  const ids = two.results.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(2);
  expect(two.searches.map(({ text }: { text: string }) => text)).toEqual([
    "round a price",
    "idempotency key of a charge",
  ]);
  const named = await searched("idempotency key", "--repo", "ACME/payments", "--method", "keyword");
  expect(named).toMatchObject({
    repo: { name: "acme/payments" },
    results: [{ outcome: "accepted", url: givenRecord().provenance.url, vectorRank: null, keywordRank: 1 }],
  });
  const listed = await run(["memory", "ls", "--repo", "acme/payments", "--data-dir", dataDir]);
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("1 of 1 memory of acme/payments") });
});

test("explain prints retrieval step by step, and writes nothing to memory; stats and doctor count it", async () => {
  clone.write({
    "src/cart/price.ts": "export function roundPrice(price: number) {\n  return Math.floor(price * 100) / 100;\n}\n",
  });
  clone.commit("fix: round prices down");
  const before = rows().length;
  const memory = () => readFileSync(join(dataDir, "memory.db"));
  const remembered = memory();
  const { out } = await run(["explain", "--base", "HEAD~1", "--data-dir", dataDir]);
  expect(memory().equals(remembered)).toBe(true);
  const page = out.slice(out.indexOf("\nretrieve "), out.indexOf("\nreview "));
  for (const line of [
    /^ {2}gate {7}search \(explicit, confidence 0\.99/m,
    /^ {2}query {6}fix: round prices down$/m,
    /^ {2}asked as {3}intent, \d+ characters$/m,
    /^ {13}hunk of src\/cart\/price\.ts, \d+ characters$/m,
    /^ {2}found {6}\d+ candidates among \d+ memories by hybrid; \d are used of local\/kodiai-cli-/m,
    /^ {2}admitted {3}probability at least 0\.\d+$/m,
    /^ {2}embedding {2}4 texts, 0 cached, 0 tokens, \$0$/m,
    /^ {2}reranking {2}none$/m,
    /^ {2}used \(\d\)$/m,
    /^ {5}meaning #1 \(distance 0\.\d{3}, (?:high|medium|low|very low) confidence\) {2}words #\d/m,
  ])
    expect(page).toMatch(line);
  expect(rows().slice(before)).toMatchObject([
    {
      origin: "command-line",
      pull: 0,
      method: "hybrid",
      searched: true,
      embedding: { texts: 4 },
      topK: 5,
      calibrated: 0.69,
    },
  ]);
  expect(
    rows()
      .slice(0, before)
      .every(({ origin, pull }) => origin === "search" && pull === null),
  ).toBe(true);

  const count = rows().length;
  const [pretty, json, other, doctor] = await Promise.all([
    run(["stats", "--data-dir", dataDir]),
    run(["stats", "--data-dir", dataDir, "--json", "--repo", ".", "--window", "7d"]),
    run(["stats", "--data-dir", dataDir, "--json", "--repo", "acme/payments"]),
    run(["doctor", "--all", "--data-dir", dataDir]),
  ]);
  expect(pretty.out).toMatch(/^ {2}admitted +by distance in \d+, up to 0\.\d\d in the mean {3}by probability in 1$/m);
  expect(pretty.out).toMatch(new RegExp(`searches +${count}, `));
  expect(pretty.out).toMatch(/by method .*search hybrid .*cli hybrid/);
  expect(JSON.parse(json.out)).toMatchObject({ version: 1, count: count - 1, gate: { decisions: 1, skips: 0 } });
  expect(JSON.parse(other.out)).toMatchObject({ count: 1, byMethod: [{ origin: "search", method: "keyword" }] });
  expect(doctor.out).toMatch(new RegExp(`retrieval +${count} searches in 24 h`));
});

test("stats and doctor report alerts of the last 24 hours, with the fix [003-09][003-33]", async () => {
  const slow = mkdtempSync(join(dataDir, "slow-"));
  const db = await openQueueFile(join(slow, "queue.db"));
  const log = storedRetrievals(db);
  const embedding = { texts: 4, cached: 3, tokens: 9, usd: 0 };
  for (let at = 0; at < 20; at += 1)
    await log.write(anEntry({ createdAt: Date.now(), retrievalMs: 1_500, averageDistance: 0.2, embedding }));
  await log.write(
    anEntry({ createdAt: Date.now() - 25 * 3_600_000, retrievalMs: 9_000, averageDistance: 0.2, embedding }),
  );
  await db.close();
  const [figures, json, doctor] = await Promise.all([
    run(["stats", "--data-dir", slow]),
    run(["stats", "--data-dir", slow, "--json"]),
    run(["doctor", "--data-dir", slow, "--json"]),
  ]);
  const text = "P95 is 1500 ms, over 1000 ms (n = 20)";
  expect(JSON.parse(json.out)).toMatchObject({ window: { ms: 86_400_000 }, count: 20 });
  expect(figures.out).toMatch(/slow: P95 is 1500 ms, over 1000 ms \(n = 20\)\n +`kodiai explain` shows/);
  expect(doctor.code).toBe(0);
  const { checks } = JSON.parse(doctor.out);
  expect(checks.filter(({ name }: { name: string }) => name === "retrieval")).toEqual([
    { name: "retrieval", state: "note", text: expect.stringContaining(`${text}; `) },
  ]);
});
