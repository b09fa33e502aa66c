import { startAnthropic } from "../../fakes/anthropic/server.ts";
import { modelContract } from "../contracts/model.ts";
import { modelFor } from "./asked.ts";

for (const [name, structuredOutput] of [
  ["a server that holds replies to a schema", "on"],
  ["a server that is told the schema in words", "off"],
] as const) {
  modelContract(name, {
    async with(replies, use) {
      await using server = await startAnthropic({ replies });
      await use(modelFor(server.url, { structuredOutput }));
    },
  });
}
