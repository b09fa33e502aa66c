import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReply } from "../../../src/adapters/model/read-reply.ts";
import { malformedReplies } from "../../fakes/anthropic/malformed.ts";
import { says } from "../../fakes/anthropic/replies.ts";
import { startAnthropic } from "../../fakes/anthropic/server.ts";
import { runs } from "../../property-runs.ts";
import { expectSafe } from "../contracts/model.ts";
import { FOUND, modelFor, QUESTION, SHAPE } from "./model-clients.ts";

const MALFORMED = malformedReplies(FOUND);

/** Read as an answer, it holds everything that the reply it was made from holds. */
function expectNothingLost(text: string, name: string): "read" | "refused" {
  const read = readReply(text, SHAPE);
  if (!read.ok) {
    expect(read.problem, name).toMatch(/\S/);
    return "refused";
  }
  expect(read.value.findings.length, name).toBe(FOUND.findings.length);
  return "read";
}

test("of more than 340 malformed replies none crashes the reader, and none loses a finding", () => {
  const read = MALFORMED.map(({ text, name }) => expectNothingLost(text, name));
  expect(MALFORMED.length).toBeGreaterThan(340);
  // Fixing earns its place: a good part of the small mistakes is read right.
  expect(read.filter((outcome) => outcome === "read").length).toBeGreaterThan(100);
});

test("a reply broken at random never loses a finding and never throws", () => {
  const json = JSON.stringify(FOUND);
  const places = fc.integer({ min: 0, max: json.length });
  const wounds = fc.array(
    fc.tuple(places, fc.integer({ min: 0, max: 3 }), fc.constantFrom("", ..."{}[]\",:'\\ \n`<…")),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(wounds, fc.constantFrom("", "Here you are:\n```json\n", "<think>hm</think>\n"), (all, before) => {
      const broken = all.reduce((text, [at, removed, put]) => text.slice(0, at) + put + text.slice(at + removed), json);
      const read = readReply(before + broken, SHAPE);
      if (read.ok) expect(read.value.findings.length).toBeGreaterThan(0);
    }),
    runs(3_000),
  );
});

test("reading any model reply ends in a value of the right shape or in a problem", () => {
  const words = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .array(fc.constantFrom("{", "}", "[", "]", '"', "findings", ":", ",", "```json", "</think>", "\\", "[]", "1"))
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(words, (text) => {
      const read = readReply(text, SHAPE);
      if (read.ok) expect(text).toMatch(/findings/);
    }),
    runs(3_000),
  );
});

const SUITE = resolve(process.cwd(), "../shared/bad-inputs/json/jsontestsuite.jsonl");
if (!existsSync(SUITE)) console.warn(`skipped: the JSON test suite is not there (${SUITE})`);

test.runIf(existsSync(SUITE))(
  "the JSON test suite's texts, bare and as the list asked for, are refused or say nothing [T22]",
  () => {
    const rows = readFileSync(SUITE, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    expect(rows.length).toBe(340);
    for (const row of rows) {
      const { name, b64 } = JSON.parse(row) as { readonly name: string; readonly b64: string };
      const text = Buffer.from(b64, "base64").toString();
      expect(readReply(text, SHAPE).ok, name).toBe(false);
      const read = readReply(`{"findings":${text}}`, SHAPE);
      if (read.ok) expect(text.trim(), name).toMatch(/^\[\s*\]$/);
    }
  },
);

test.each(["...", "…", '"path": "..." ...', "{...}"])(
  "a list that goes on with %s is not whole, however good its beginning",
  (rest) => {
    const json = JSON.stringify(FOUND);
    expect(readReply(json.replace(/\]\}$/, `, ${rest}]}`), SHAPE).ok).toBe(false);
    expect(readReply(json.replace("[{", `[${rest}, {`), SHAPE).ok).toBe(false);
  },
);

describe("good answers in bad clothes are read", () => {
  const json = JSON.stringify(FOUND);
  const pretty = JSON.stringify(FOUND, null, 2);
  test.each<[string, string, boolean]>([
    ["bare", json, false],
    ["in lines", pretty, false],
    ["with a byte order mark", `\uFEFF${json}`, false],
    ["in a fence", `\`\`\`json\n${pretty}\n\`\`\``, false],
    ["in a fence without an end", `\`\`\`json\n${pretty}`, false],
    ["between prose", `Here is my review:\n\n${pretty}\n\nLet me know if you need more!`, false],
    ["behind prose with brackets", `I looked at items[0], {curly} words and [1].\n${json}`, false],
    ["behind thoughts", `<think>{"findings":[]} or is it? items[i]</think>\n${json}`, false],
    ["behind thoughts whose beginning is missing", `hm, {"findings":[]}?\n</think>\n\n${json}`, false],
    ["behind thinking", `<thinking>\nhm\n</thinking>${json}`, false],
    ["twice the same", `${json}\n\nOnce more:\n${pretty}`, false],
    ["in a fence in a fence", `\`\`\`\`markdown\n\`\`\`json\n${json}\n\`\`\`\n\`\`\`\``, false],
    ["with a comma too many", json.replace("]}", ",]}"), true],
    ["with single quotes", json.replace(/"(path|line|title|findings)"/g, "'$1'"), true],
    ["with bare keys", json.replace(/"(path|line|title|findings)":/g, "$1:"), true],
    ["with comments", json.replace("[", "[ // in order of weight\n"), true],
  ])("%s", (_, text, fixed) => {
    expect(readReply(text, SHAPE)).toEqual({ ok: true, value: FOUND, fixed });
  });

  test("with a line break in a string, which stays", () => {
    const broken = readReply(json.replace("iterator used", "iterator\nused"), SHAPE);
    expect(broken).toMatchObject({ ok: true, fixed: true });
    expect(JSON.stringify(broken)).toContain("iterator\\nused");
  });

  test("with fences and thoughts' ends inside its strings", () => {
    const tricky = { findings: [{ path: "a.md", line: 1, title: 'use ```json {"findings":[]} ``` after </think>' }] };
    expect(readReply(JSON.stringify(tricky), SHAPE)).toEqual({ ok: true, value: tricky, fixed: false });
    const fenced = `Sure:\n\`\`\`json\n${JSON.stringify({ findings: [{ path: "a.md", line: 1, title: "```ts\n{" }] })}\n\`\`\``;
    expect(readReply(fenced, SHAPE)).toMatchObject({ ok: true });
  });
});

describe.each(["on", "off"] as const)("through a server, structured output %s", (structuredOutput) => {
  const some = MALFORMED.filter(({ text }, at) => at % 12 === 0 && text.length < 50_000);

  test("a reply malformed twice is malformed, after two requests, and people see nothing of it", async () => {
    await using server = await startAnthropic();
    const model = modelFor(server.url, { structuredOutput });
    for (const { name, text } of some) {
      server.requests.length = 0;
      server.script([says(text)]);
      const answer = await model.ask(QUESTION);
      if (answer.kind === "answered") expect(answer.value.findings.length, name).toBe(FOUND.findings.length);
      else {
        expect(answer, name).toMatchObject({ failure: "malformed", usage: { requests: 2 } });
        expectSafe(answer);
      }
    }
  });

  test("the one repair names the problem after what the model said", async () => {
    await using server = await startAnthropic({
      replies: [says({ findings: [{ path: "a.ts", line: 0, title: "x" }] }), says(FOUND)],
    });
    await modelFor(server.url, { structuredOutput }).ask(QUESTION);
    const [first, second] = server.requests.map(({ body }) => body.messages);
    expect(second.slice(0, 1)).toEqual(first);
    expect(second[1]).toEqual({ role: "assistant", content: '{"findings":[{"path":"a.ts","line":0,"title":"x"}]}' });
    expect(second[2]).toMatchObject({ role: "user", content: expect.stringMatching(/findings\.0\.line.*>=1/) });
    expect(second).toHaveLength(3);
  });
});
