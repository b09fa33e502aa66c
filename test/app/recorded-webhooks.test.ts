// Deliveries that GitHub really sent (octokit/webhooks, MIT), signed and sent to the app: each is
// answered and recorded.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";

const FOLDER = resolve(process.cwd(), "../shared/bad-inputs/webhooks");
const isHere = existsSync(FOLDER);
if (!isHere) console.warn(`skipped: the recorded webhooks are not there (${FOLDER})`);

describe.runIf(isHere)("recorded webhooks", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  const recorded = !isHere
    ? []
    : readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".json"))
        .map((file) => ({ event: file.split("/")[0] ?? "", body: readFileSync(join(FOLDER, file), "utf8"), file }));

  test("each is taken, recorded with what became of it, and harms nothing [R30]", async () => {
    expect(recorded.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    const reviews: string[] = [];
    for (const { event, body, file } of recorded) {
      const { status, id } = await harness.world.deliver(event, body);
      const outcome = harness.outcomeOf(id);
      // Checks of other Apps are answered and not kept.
      const isKept = outcome !== null || event.startsWith("check_");
      if (status !== 202 || !isKept) wrong.push(`${file}: ${status} ${JSON.stringify(outcome)}`);
      if (outcome?.outcome === "review") reviews.push(id);
    }
    expect(wrong).toEqual([]);
    expect(reviews.length).toBeGreaterThan(0);
    expect((await fetch(`${harness.url()}/healthz`)).status).toBe(200);
  });

  test("each is known again when it is delivered twice [R3]", async () => {
    const deliveries = harness.world.deliveries.slice(0, 40);
    for (const { event, payload, id } of deliveries) {
      const before = harness.outcomeOf(id);
      expect(await harness.world.deliver(event, payload, { id, redelivery: true })).toMatchObject({ status: 202 });
      expect(harness.outcomeOf(id)).toEqual(before);
    }
  });

  test("a payload that lost any one of its parts is ignored or taken, never refused as a fault of ours [R30]", async () => {
    const ready = recorded.find(({ file }) => file === "pull_request/ready_for_review.with-installation.payload.json");
    const whole = JSON.parse(ready?.body ?? "null") as Record<string, unknown>;
    expect(whole).toHaveProperty("pull_request.number");
    const statuses = new Set<number | null>();
    for (const path of pathsOf(whole, 2)) {
      const { status } = await harness.world.deliver("pull_request", without(whole, path));
      statuses.add(status);
    }
    expect(statuses).toEqual(new Set([202]));
  });
});

/** Paths of all keys down to `depth`. */
function pathsOf(value: unknown, depth: number): string[][] {
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner, depth - 1).map((rest) => [key, ...rest]),
  ]);
}

function without(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.flatMap(([name, inner]) => {
      if (name !== key) return [[name, inner]];
      return rest.length === 0 ? [] : [[name, without(inner, rest)]];
    }),
  );
}
