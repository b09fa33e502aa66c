// The first memories of a repository, from a signed webhook to the prompt, on defaults: the one
// that says what is wrong reaches the model, and those about something else do not. More topics, on
// both stores: eval/order/first-memories.jsonl.
import { afterAll, beforeAll, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type ModelHarness, openModelHarness } from "./model-harness.ts";
import { comment, remembering, smallTalk } from "./seed-memory.ts";

let opened: ModelHarness;
beforeAll(async () => {
  opened = await openModelHarness({}, () =>
    says({ findings: [], ruleFindings: [], walkthrough: "Releases the lock." }),
  );
});
afterAll(() => opened.close());

test.each([0, 1, 4])(
  "the memory that says what is wrong reaches the prompt beside %i others [002-23]",
  async (others) => {
    const { harness, anthropic } = opened;
    const repository = await harness.world.repository("acme", `jobs-${others}`, { files: { "README.md": "# Jobs\n" } });
    const text = "An exception between acquire and release leaves the lock held for ever.";
    const said = comment(repository, "1", { text, path: null, language: "", hunk: null });
    await remembering(harness, [said, ...smallTalk(repository, others)]);
    const before = anthropic.requests.length;
    const files = { "src/run.py": "def work(job):\n    acquire(job); run(); release(job)\n" };
    await harness.settled(
      await harness.world.pullRequest(repository, { title: "release the lock when a job fails", files }),
    );
    const prompts = anthropic.requests.slice(before).map(({ prompt }) => prompt);
    const shown = prompts.flatMap((prompt) => prompt.split("\n").filter((line) => line.startsWith("- mem_")));
    // A question that is not answered in time is asked again.
    expect([...new Set(shown)]).toEqual([
      expect.stringMatching(
        /leaves the lock held for ever\..*; score -?\d+\.\d\d, (?:high|medium|low|very low) confidence; /,
      ),
    ]);
  },
);

test("a memory in the language of the change stands in the prompt with its adjusted and its raw distance, where distances order [000-32]", async () => {
  const { harness, anthropic } = opened;
  const config = "knowledge: {retrieval: {method: semantic, distanceThreshold: 2}}\n";
  const files = { "README.md": "# Locks\n", ".kodiai.yml": config };
  const repository = await harness.world.repository("acme", "locks", { files });
  const said = (id: string, language: string) =>
    comment(repository, id, { text: `A lock is held for ever, as in ${id}.`, path: null, language, hunk: null });
  await remembering(harness, [said("1", "python"), said("2", "go")]);
  const before = anthropic.requests.length;
  const pull = { title: "release the lock when a job fails", files: { "src/run.py": "acquire(job); run()\n" } };
  await harness.settled(await harness.world.pullRequest(repository, pull));
  const [prompt = ""] = anthropic.requests.slice(before).map((request) => request.prompt);
  const distances = (id: string) => {
    const line = prompt.split("\n").find((one) => one.startsWith("- mem_") && one.includes(`as in ${id}.`)) ?? "";
    const [, adjusted, raw] = /; adjusted distance (\d\.\d{3}), raw (\d\.\d{3})[);]/.exec(line) ?? [];
    return Number(adjusted) / Number(raw);
  };
  // Both have the same age.
  expect(distances("1") / distances("2")).toBeCloseTo(0.85, 2);
});
