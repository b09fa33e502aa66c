// kodiai review and explain with a model: who is asked what, what it costs, and how to look before
// anybody is asked.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localChanges } from "../../src/adapters/git/local-changes.ts";
import { openStore } from "../../src/wire/store.ts";
import { BALANCE, LOGIN, WEAK_LOGIN } from "../app/change-builders.ts";
import { fails, says } from "../fakes/anthropic/replies.ts";
import { startAnthropic } from "../fakes/anthropic/server.ts";
import { ReviewJson } from "./contract.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");

let clone: Clone;
let dataDir: string;
let server: Awaited<ReturnType<typeof startAnthropic>>;
beforeAll(async () => {
  clone = newClone();
  clone.write({ "src/login.ts": LOGIN });
  clone.commit("Lay the ground");
  clone.write({ "src/login.ts": WEAK_LOGIN, "src/balance.py": `${BALANCE}TOKEN = "${TOKEN}"\n` });
  clone.commit("feat(login): hash passwords");
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-cli-data-"));
  server = await startAnthropic({
    replies: ({ prompt }) => {
      const drafted = /\[(fnd_\w+)\] src\/balance\.py, lines/.exec(prompt)?.[1];
      if (drafted !== undefined) {
        const holds = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
        return says({ findings: [{ id: drafted, ...holds }] });
      }
      const line = prompt.split("\n").find((one) => one.includes("verify=False")) ?? "";
      return says({
        findings: [
          {
            path: "src/balance.py",
            anchor: line.split(":")[0],
            endAnchor: null,
            quote: line.slice(line.indexOf(":") + 2),
            severity: "major",
            category: "correctness",
            title: "The balance is asked for without a currency",
            body: "Accounts in two currencies are added up. Ask for one.",
            true: 0.9,
            wanted: 1,
            suggestion: null,
            precedents: [],
          },
        ],
        ruleFindings: [],
        walkthrough: "Asks the bank for a balance.",
      });
    },
  });
});
afterAll(async () => {
  clone.remove();
  rmSync(dataDir, { recursive: true, force: true });
  await server.close();
});

const run = (words: readonly string[], env: Record<string, string> = {}) =>
  kodiai([...words, "--base", "HEAD~1", "--data-dir", dataDir], { cwd: clone.path, env });
const named = () => ({
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
  KODIAI_MODEL: "claude-haiku-5-5",
});

test("without a key the exact prompt is shown, secrets masked, and no question is sent", async () => {
  const { code, out, err } = await run(["review", "--show-prompt"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(
    /^═══ question 1 of 1: purpose review; model main; effort medium; about \d+ tokens in, at most 16000 out ═══/,
  );
  expect(out).toContain("You review a pull request as a careful colleague");
  expect(out).toMatch(/\d+#[0-9a-f]{4}:\+.*verify=False/);
  expect(out).toContain('"additionalProperties": false');
  expect(out).not.toContain(TOKEN);
  const { questions } = JSON.parse((await run(["review", "--show-prompt", "--json"], named())).out);
  expect(questions).toMatchObject([{ purpose: "review", tier: "main", shape: { name: "review" } }]);
  expect(server.requests).toHaveLength(0);
  expect(existsSync(join(dataDir, "queue.db"))).toBe(false);
});

test("without a key, and with --model off, rules review alone", async () => {
  const [bare, off] = await Promise.all([
    run(["review", "--json"]),
    run(["review", "--json", "--model", "off"], named()),
  ]);
  for (const { code, out } of [bare, off]) {
    expect(code).toBe(0);
    const review = ReviewJson.parse(JSON.parse(out));
    expect(review).toMatchObject({ coverage: null, walkthrough: null, degraded: [] });
    expect(review.findings.every(({ source }) => source === "rule")).toBe(true);
  }
  expect(server.requests).toHaveLength(0);
});

test("the model that the environment names reads the change, and what it cost is written into the book", async () => {
  const store = await openStore(dataDir);
  const { code, out, err } = await run(["review", "--json"], named());
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const review = ReviewJson.parse(JSON.parse(out));
  expect(review.findings.find(({ source }) => source === "model")).toMatchObject({
    path: "src/balance.py",
    title: "The balance is asked for without a currency",
    locMethod: "anchor",
    place: "inline",
  });
  expect(review.walkthrough).toBe("Asks the bank for a balance.");
  expect(review.coverage).toMatchObject({ model: "claude-haiku-5-5", questions: 1, unanswered: 0 });
  expect(review.cost.inputTokens).toBeGreaterThan(0);
  expect(server.requests.every(({ prompt }) => !prompt.includes(TOKEN))).toBe(true);
  const {
    identities: [repo],
  } = await localChanges(clone.path, { kind: "staged" });
  const { spent: usd } = await store.spending.usage(repo, 0);
  expect(usd).toBeCloseTo(review.cost.usd ?? 0, 10);
  await store.close();

  const pretty = (await run(["review"], named())).out;
  expect(pretty).toMatch(/^Asks the bank for a balance\./);
  expect(pretty).toMatch(/; \d+ ms, claude-haiku-5-5: \d+ tokens in, \d+ out, USD 0\.\d{4}\n$/);
});

test("explain prints the prompt's parts, what was cut, what was read and its cost", async () => {
  const { code, out } = await run(["explain", "--json"], named());
  expect(code).toBe(0);
  const { model } = JSON.parse(out);
  expect(model).toMatchObject({
    name: "claude-haiku-5-5",
    questions: [{ purpose: "review", tokens: expect.any(Number) }, { purpose: "verify" }],
    readings: {
      planned: 1,
      because: "the balanced profile",
      estimate: { outputTokens: expect.any(Number) },
      fewer: [],
    },
    cut: [],
    read: ["src/balance.py: partial: a line that may hold a secret was hidden from the model", "src/login.ts: full"],
    placesProven: { anchor: 1, quote: 0, none: 0 },
  });
  expect(model.questions[0].parts.map((part: string) => part.replace(/: \d+ characters$/, ""))).toEqual([
    "The pull request",
    "Title: claims to check against the diff",
    "What is known about it",
    "Author",
    "Findings of rules to confirm or refute",
    "All changed files",
    "Commit messages: claims to check against the diff",
    "The code around the change",
    "The diff, without what the list of files says is not shown",
  ]);
  expect((await run(["explain", "--full"])).out).toContain("no model was used");
  const shown = (await run(["explain", "--show-prompt"])).out;
  expect(shown).toContain("═══ question 1 of 1");
  const often = join(dataDir, "often.yml");
  writeFileSync(often, "review: {readings: 3}\n");
  const dry = (await run(["explain", "--show-prompt", "--config", often])).out;
  expect(dry).toMatch(
    /readings +3 \(`review\.readings`\); estimated before: [\d,]+ tokens in, 18,000 tokens out, USD \d\.\d{3}/,
  );
});

test("wrong words and wrong variables are said, and nothing is reviewed", async () => {
  const [word, both, variable] = await Promise.all([
    run(["review", "--model", "on"]),
    run(["review", "--model", "off", "--show-prompt"]),
    run(["review"], { KODIAI_MODEL: "claude-haiku-5-5" }),
  ]);
  expect(word).toMatchObject({ code: 2, err: expect.stringContaining("--model takes one of auto, off") });
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining("remove --model off") });
  expect(variable).toMatchObject({ code: 2, err: expect.stringContaining("KODIAI_MODEL has no effect without") });
});

test("where the model did not read the change, --fail-on ends with 3, and every format tells the server's sentence", async () => {
  await using broken = await startAnthropic({ replies: [fails(401, { message: "Your plan has ended on Friday" })] });
  const env = { ...named(), ANTHROPIC_BASE_URL: `${broken.url}/v1/messages` };
  const { code, out, err } = await run(["review", "--json", "--fail-on", "critical"], env);
  expect(code).toBe(3);
  const why = /refused our key: it answered 401 .*Your plan has ended on Friday; check ANTHROPIC_API_KEY/;
  expect(err).toMatch(why);
  expect(err).toContain("--model off");
  expect(ReviewJson.parse(JSON.parse(out)).degraded.find(({ part }) => part === "model")?.reason).toMatch(why);
  expect((await run(["review"], env)).out).toMatch(why);
  expect((await run(["review", "--fail-on", "critical", "--model", "off"], env)).code).toBe(1);
  expect((await run(["review"], env)).code).toBe(0);
  expect((await run(["review", "--fail-on", "critical"], named())).code).toBe(1);
  expect(broken.requests.every(({ path }) => path === "/v1/messages")).toBe(true);
});

test("what a server does not take is not asked for by the next command", async () => {
  const streams: boolean[] = [];
  await using strict = await startAnthropic({
    replies: ({ body }) => {
      streams.push(body.stream === true);
      if (body.stream === true) return fails(400, { message: "stream: Streaming is not supported" });
      return (response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            type: "message",
            role: "assistant",
            model: body.model,
            content: [{ type: "text", text: '{"findings":[],"ruleFindings":[],"walkthrough":"Read."}' }],
            stop_reason: "end_turn",
            usage: { input_tokens: 10, output_tokens: 5 },
          }),
        );
    },
  });
  const env = { ...named(), ANTHROPIC_BASE_URL: strict.url };
  expect((await run(["review"], env)).out).toMatch(/^Read\./);
  expect((await run(["review"], env)).out).toMatch(/^Read\./);
  expect(streams).toEqual([true, false, false]);
});

test("a proxy's address without http:// is refused by name, before anything is sent", async () => {
  const { code, err } = await run(["review"], { ...named(), HTTPS_PROXY: "proxy.example.com:3128" });
  expect(code).toBe(2);
  expect(err).toContain("HTTPS_PROXY must be a whole address");
});
