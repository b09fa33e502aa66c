// What a model looks up goes out like everything else: without secrets.
import { expect, test } from "vitest";
import { chosenModel } from "../../src/wire/models.ts";
import { lookingUp } from "../adapters/contracts/model.ts";
import { startAnthropic as startServer } from "../fakes/anthropic/server.ts";
import { looksUp, says } from "../fakes/openai/replies.ts";

// Put together here, so that no scanner takes this file for a leak.
const SECRET = ["ghp", "vE8rT2kQ9wLx4ZbN7mJcYpHd1Xs6Ua3Fo5Ri"].join("_");

test("a secret in what is looked up is masked before it leaves", async () => {
  const asks = looksUp({ name: "definition", input: { symbol: "token" } });
  await using server = await startServer({ replies: [asks, says({ findings: [] })] });
  const model = await chosenModel({
    provider: "openai",
    apiKey: null,
    baseUrl: `${server.url}/v1`,
    names: { main: "qwen3-coder:30b", small: "qwen3:4b" },
    structuredOutput: "auto",
    temperature: null,
    contextTokens: null,
  });
  const answer = async () => `const a = 1;\nconst token = "${SECRET}";`;
  expect(await model.ask(lookingUp({ answer }))).toMatchObject({ kind: "answered", lookedUp: { calls: 1 } });
  const [, second] = server.requests;
  expect(JSON.stringify(second?.body)).toContain("const a = 1;");
  expect(JSON.stringify(second?.body)).not.toContain(SECRET);
});
