// A change that gets a grammar stuck: it is reviewed as far as lines go, it is said, and the server
// answers meanwhile.
import { expect, test } from "vitest";
import { isolatedInspector } from "../../src/adapters/rules/isolated-inspector.ts";
import { openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";

const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const STUCK = `// ${TOKEN}\n${`${"a[".repeat(9_000)}\n`.repeat(14)}`;

test("it is reviewed by its lines, the summary says so, and deliveries are answered all the while", async () => {
  const inspector = isolatedInspector({ ms: 1_200, bytes: Number.POSITIVE_INFINITY });
  const harness = await openHarness({ app: { inspector } });
  try {
    const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const files = { "src/stuck.go": STUCK, "ops/backup.py": BACKUP };
    const pull = await harness.world.pullRequest(repository, { title: "Stuck", files });
    let slowest = 0;
    let isOver = false;
    const health = async () => {
      while (!isOver) {
        const started = performance.now();
        await (await fetch(`${harness.url()}/healthz`)).text();
        slowest = Math.max(slowest, performance.now() - started);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const asked = health();
    expect(await harness.settled(pull)).toMatchObject({ state: "done" });
    isOver = true;
    await asked;
    // A watchdog: ten times the second that nobody is kept waiting for.
    expect(slowest).toBeLessThan(10_000);
    expect(said(harness.world, pull)).toEqual(expect.arrayContaining(["src/stuck.go:1 leaked-secret"]));
    expect(said(harness.world, pull).some((one) => one.startsWith("ops/backup.py"))).toBe(true);
    expect(summaryOf(harness.world, pull).body).toContain("took longer than 1.2 s");
    console.log(`slowest answer while a grammar was stuck: ${Math.round(slowest)} ms`);
  } finally {
    await harness.close();
    inspector.close();
  }
});
