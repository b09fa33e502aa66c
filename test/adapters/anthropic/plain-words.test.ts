// Replies in plain words, where the shape of a question says how to read them.
import { expect, test } from "vitest";
import { readReply } from "../../../src/adapters/model/read-reply.ts";
import type { ModelRequest, ReplyShape } from "../../../src/domain/model.ts";
import { says } from "../../fakes/anthropic/replies.ts";
import { startAnthropic } from "../../fakes/anthropic/server.ts";
import { modelFor } from "./model-clients.ts";

const NUMBERS: ReplyShape<readonly number[]> = {
  name: "numbers",
  jsonSchema: { type: "object", properties: { order: { type: "array" } } },
  check: (value) => {
    const order = typeof value === "object" && value !== null && "order" in value ? value.order : null;
    return Array.isArray(order) ? { ok: true, value: order } : { ok: false, problem: "order: is missing" };
  },
  readText: (text) => {
    const numbers = (text.match(/^\d+$/gm) ?? []).map(Number);
    return numbers.length === 0 ? null : numbers;
  },
};
const { readText: _, ...ONLY_JSON } = NUMBERS;

test("JSON of the shape counts before words, and counts as it is", () => {
  expect(readReply('{"order": [3]}', NUMBERS)).toEqual({ ok: true, value: [3], fixed: false });
  expect(readReply('Order:\n7\n{"order": [3]}', NUMBERS)).toMatchObject({ ok: true, value: [3] });
});

test("words are read where there is no such JSON, and never out of thoughts", () => {
  expect(readReply("3\n0\n", NUMBERS)).toEqual({ ok: true, value: [3, 0], fixed: true });
  expect(readReply("<think>7\n8</think>\n3\n0", NUMBERS)).toMatchObject({ ok: true, value: [3, 0] });
  expect(readReply("<think>7\n8\n", NUMBERS)).toMatchObject({ ok: false });
  expect(readReply("None of them.", NUMBERS)).toMatchObject({ ok: false });
  expect(readReply("3\n".repeat(600_000), NUMBERS)).toMatchObject({ ok: false, problem: "the reply is too long" });
});

test("a shape that does not say how to read words takes JSON only", () => {
  expect(readReply("3\n0\n", ONLY_JSON)).toMatchObject({ ok: false });
});

test("through a server words cost one question, and no second one to fix them", async () => {
  await using server = await startAnthropic({ replies: [says("3\n0")] });
  const request: ModelRequest<readonly number[]> = {
    purpose: "rerank",
    tier: "small",
    system: [{ text: "Order them.", cache: false }],
    user: [{ text: "results", cache: false }],
    effort: "low",
    maxOutputTokens: 1_000,
    shape: NUMBERS,
  };
  const answer = await modelFor(server.url, { structuredOutput: "off" }).ask(request);
  expect(answer).toMatchObject({ kind: "answered", value: [3, 0] });
  expect(server.requests).toHaveLength(1);
});
