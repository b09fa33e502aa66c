// The app with nothing but the address of a server of OpenAI's kind, as Ollama or vLLM is used.
import { expect, test } from "vitest";
import { readModel } from "../../src/config/environment/read-models.ts";
import { type ModelCall, startAnthropic as startServer } from "../fakes/anthropic/server.ts";
import { fails, says } from "../fakes/openai/replies.ts";
import { openHarness } from "./app-harness.ts";
import { LOGIN } from "./change-builders.ts";

const TITLE = "The etag of an empty file is the same for every file";

function found(call: ModelCall) {
  const finding = {
    path: "src/login.ts",
    anchor: /(\d+#[0-9a-f]{4}):\+export function etag/.exec(call.prompt)?.[1] ?? "",
    endAnchor: null,
    quote: "export function etag(content: string): string {",
    severity: "major",
    category: "correctness",
    title: TITLE,
    body: "`etag` hashes the content only. Hash the path too.",
    true: 0.9,
    wanted: 1,
    suggestion: null,
    precedents: [],
  };
  return { findings: [finding], ruleFindings: [], walkthrough: "Adds an etag." };
}

function holds(call: ModelCall) {
  const ids = [...call.prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
  const verdict = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
  return { findings: ids.map((id) => ({ id, ...verdict })) };
}

const answers = (call: ModelCall) => says(call.system.startsWith("You check drafted") ? holds(call) : found(call));

/** A review of LOGIN by the model at an address that the environment names. */
async function reviewed(replies: Parameters<typeof startServer>[0]) {
  await using server = await startServer(replies);
  const read = readModel(new Map([["OPENAI_BASE_URL", server.url]]));
  if ("problems" in read) expect.fail(read.problems.join());
  const harness = await openHarness({ app: { model: read.model } });
  try {
    const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const pull = await harness.world.pullRequest(repository, {
      title: "Add an etag",
      files: { "src/login.ts": LOGIN },
    });
    const { state } = await harness.settled(pull);
    const { inline, summary } = harness.world.comments(pull);
    return { state, inline, summary: summary[0]?.body ?? "", requests: server.requests };
  } finally {
    await harness.close();
  }
}

test("an address alone is enough: the model's finding is posted on its line, looked at twice", async () => {
  const { state, inline, summary, requests } = await reviewed({ replies: answers });
  expect(state).toBe("done");
  expect(inline.map(({ body }) => body).join()).toContain(TITLE);
  expect(summary).not.toContain("incomplete");
  expect(requests.map(({ path, body }) => [path, body.model])).toEqual([
    ["/v1/chat/completions", "gpt-6.1-sol"],
    ...requests.slice(1, -1).map(() => [expect.anything(), "gpt-6-luna"]),
    ["/v1/chat/completions", "gpt-6-luna"],
  ]);
  expect(JSON.stringify(requests.map(({ headers }) => headers.authorization))).toContain("Bearer none");
});

test("a server that takes no schema still reviews, and the summary says what it refused", async () => {
  const { inline, summary } = await reviewed({
    replies: (call) =>
      call.body.response_format === undefined
        ? answers(call)
        : fails(400, { message: "response_format is not supported by this model", param: "response_format" }),
  });
  expect(inline.map(({ body }) => body).join()).toContain(TITLE);
  expect(summary).toContain("the model was asked without structured output, which its server refuses");
});
