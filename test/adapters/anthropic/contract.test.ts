import { fails, isCut, refuses, says } from "../../fakes/anthropic/replies.ts";
import { startAnthropic } from "../../fakes/anthropic/server.ts";
import { modelContract, type Speech } from "../contracts/model.ts";
import { FOUND, modelFor } from "./model-clients.ts";

const SPEECH: Speech = {
  says: (answer, { tokens = {}, thinking } = {}) =>
    says(answer, {
      usage: {
        input_tokens: tokens.fresh ?? 100,
        output_tokens: tokens.output ?? 20,
        cache_creation_input_tokens: tokens.cacheWrite ?? 0,
        cache_read_input_tokens: tokens.cacheRead ?? 0,
      },
      ...(thinking === undefined ? {} : { thinking }),
    }),
  fails: (status, message) => fails(status, { message }),
  ends: [
    ["refusing", [refuses()], "refused"],
    ["cut off by its limit", [isCut()], "truncated"],
    ["cut off by its limit just behind a whole object", [isCut('{"findings":[]}')], "truncated"],
    ["refusing after it began", [says({ findings: [] }, { stopReason: "refusal" })], "refused"],
    ["out of context", [says("", { stopReason: "model_context_window_exceeded" })], "too-long"],
    ["pausing twice", [says({ findings: [] }, { stopReason: "pause_turn" })], "malformed"],
    ["calling a tool that it does not have", [says("", { stopReason: "tool_use" })], "malformed"],
  ],
  whole: ["end_turn", "stop_sequence", "tool_use", null].map((stopReason) => [
    String(stopReason),
    says(FOUND, { stopReason }),
  ]),
  names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
  cache: { write: 2.5, read: 0.2 },
  small: { upTo: 100_000, usd: 0.1, above: 0.5 },
};

for (const [name, structuredOutput] of [
  ["a server that holds replies to a schema", "on"],
  ["a server that is told the schema in words", "off"],
] as const) {
  modelContract(name, {
    speech: SPEECH,
    async with(replies, use, contextTokens) {
      await using server = await startAnthropic({ replies });
      await use(modelFor(server.url, { structuredOutput, contextTokens: contextTokens ?? null }), server.requests);
    },
  });
}
