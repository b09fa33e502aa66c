import { startAnthropic as startServer } from "../../fakes/anthropic/server.ts";
import { fails, says } from "../../fakes/openai/replies.ts";
import { FOUND } from "../anthropic/model-clients.ts";
import { modelContract, type Speech } from "../contracts/model.ts";
import { modelFor, NAMES, ownServer } from "./model-clients.ts";

const SPEECH: Speech = {
  says: (answer, { tokens = {}, thinking } = {}) => {
    const { fresh = 100, cacheWrite = 0, cacheRead = 0, output = 20 } = tokens;
    return says(answer, {
      usage: {
        prompt_tokens: fresh + cacheWrite + cacheRead,
        completion_tokens: output,
        prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      },
      ...(thinking === undefined ? {} : { reasoning: thinking }),
    });
  },
  fails: (status, message) => fails(status, { message }),
  ends: [
    ["refusing", [says("", { refusal: "I cannot help with that." })], "refused"],
    ["stopped by a filter", [says('{"findings":[]}', { finishReason: "content_filter" })], "refused"],
    ["cut off by its limit", [says('{"findings":[{"title":"Unbounded re', { finishReason: "length" })], "truncated"],
    ["cut off just behind a whole object", [says({ findings: [] }, { finishReason: "length" })], "truncated"],
    ["calling a tool that it does not have", [says("", { finishReason: "tool_calls" })], "malformed"],
  ],
  whole: ["stop", "eos", "tool_calls"].map((finishReason) => [finishReason, says(FOUND, { finishReason })]),
  names: NAMES,
  cache: { write: 2.5, read: 0.1 },
  small: { upTo: 272_000, usd: 0.1, above: 0.2 },
};

for (const [name, structuredOutput] of [
  ["a server of OpenAI's kind that holds replies to a schema", "auto"],
  ["a server of OpenAI's kind that is told the schema in words", "off"],
] as const) {
  modelContract(name, {
    speech: SPEECH,
    async with(replies, use, contextTokens) {
      await using server = await startServer({ replies });
      await use(modelFor(server.url, { structuredOutput, contextTokens: contextTokens ?? null }), server.requests);
    },
  });
}

modelContract("OpenAI", {
  speech: SPEECH,
  async with(replies, use, contextTokens) {
    await using server = await startServer({ replies });
    await use(
      modelFor(server.url, { ...ownServer(server.url), contextTokens: contextTokens ?? null }),
      server.requests,
    );
  },
});
