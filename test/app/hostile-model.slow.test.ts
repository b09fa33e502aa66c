// A model that wants harm at length, and with look-ups through the running app: what it repeats stays inert and bounded.
import { afterAll, beforeAll, expect, test } from "vitest";
import { looksUp } from "../fakes/anthropic/replies.ts";
import type { ModelCall } from "../fakes/anthropic/server.ts";
import { expectInert } from "../publish/posted-review.ts";
import { WEAK_LOGIN } from "./change-builders.ts";
import {
  ATTACKS,
  expectBounded,
  expectFencedResult,
  expectOnlyComments,
  LONG,
  repeatsOver,
} from "./hostile-replies.ts";
import { type ModelHarness, openModelHarness } from "./model-harness.ts";

let at: ModelHarness;
let text = "";
beforeAll(async () => {
  at = await openModelHarness({}, (call) => {
    const results = resultsOf(call);
    const isOffered = (call.body.tools ?? []).length > 0 && call.body.tool_choice?.type !== "none";
    if (!isOffered || results.length > 0) return repeatsOver([text, ...results].join("\n"))(call);
    return looksUp(
      { name: "read", input: { path: "src/notes.ts", from: 1, to: 99 } },
      { name: "search", input: { text: (text.split(/[\r\n]/)[0] ?? "").slice(0, 60) } },
      { name: "read", input: { path: text, from: 1, to: 9 } },
      { name: "definition", input: { name: text } },
      { name: text, input: { name: text } },
    );
  });
});
afterAll(() => at.close());

test.each(LONG)("two megabytes of %s in every place are bounded [T13]", async (_, piece) => {
  await expectBounded(piece, 2_000_000);
});

test.each(ATTACKS)("%s in a file of the repository that it reads and repeats", async (_, attack) => {
  text = attack;
  // A file with a NUL is no text file.
  const note = attack.toWellFormed().replaceAll("\0", "");
  const base = { ".kodiai.yml": "review: {lookups: auto, profile: thorough}\n", "src/notes.ts": `${note}\n` };
  const seen = await at.review("feat: login", { "src/login.ts": WEAK_LOGIN }, base);
  expect(seen.state).toBe("done");
  const results = seen.asked.flatMap(resultsOf);
  expect(results.length).toBeGreaterThan(4);
  expect(results[0]).toContain("src/notes.ts, lines 1 to ");
  for (const result of results) expectFencedResult(result);
  expectInert(seen.bodies);
  expectOnlyComments(seen.writes);
  expect(seen.summary).toContain("Looked up ");
});

/** What a question's look-ups found, as the model reads it. */
function resultsOf({ body }: ModelCall): readonly string[] {
  return body.messages
    .flatMap(({ content }: { content: unknown }): readonly unknown[] => (Array.isArray(content) ? content : []))
    .filter((block: unknown) => (block as { type?: unknown }).type === "tool_result")
    .map((block: unknown) => String((block as { content: unknown }).content));
}
