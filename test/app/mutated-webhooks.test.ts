// Every field of the deliveries that GitHub really sent (octokit/webhooks, MIT), taken away or made
// something else: each mutant is taken, none is answered with a fault of ours. NIGHTLY=1 sends them
// all, else every 1,000th.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { signedPost } from "./server-process.ts";

const FOLDER = resolve(process.cwd(), "../shared/bad-inputs/webhooks");
const isHere = existsSync(FOLDER);
if (!isHere) console.warn(`skipped: the recorded webhooks are not there (${FOLDER})`);
const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: 999 of 1,000 mutants of the recorded webhooks; NIGHTLY=1 sends all");
const EVERY = NIGHTLY ? 1 : 1_000;
const AT_A_TIME = 64;

type Step = string | number;

/** Paths of everything inside, the whole left out. */
function pathsOf(value: unknown, at: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== "object" || value === null) return [];
  const keys: readonly Step[] = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return keys.flatMap((key) => {
    const path = [...at, key];
    return [path, ...pathsOf((value as Record<Step, unknown>)[key], path)];
  });
}

/** In place of what stood there: other types, and values that are hard to bear. */
const OTHERS: readonly unknown[] = [
  null,
  [],
  {},
  "",
  "text",
  -1,
  0,
  1.5,
  1e300,
  true,
  [null],
  { toString: 1 },
  { constructor: { prototype: null } },
  "\ud800",
  "x".repeat(70_000),
  [[[[]]]],
];

/** The payload as it would be sent; it is itself as it was afterwards. */
function mutated(payload: unknown, path: readonly Step[], change: { readonly to: unknown } | "delete"): string {
  let holder = payload as Record<Step, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<Step, unknown>;
  const last = path.at(-1) ?? "";
  const before = holder[last];
  // JSON leaves out what is undefined, and writes null for it in a list.
  holder[last] = change === "delete" ? undefined : change.to;
  try {
    return JSON.stringify(payload);
  } finally {
    holder[last] = before;
  }
}

function* mutants(): Generator<{ readonly event: string; readonly body: string; readonly name: string }> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  let serial = 0;
  for (const file of files.sort()) {
    const payload: unknown = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
    const event = file.split("/")[0] ?? "";
    for (const path of pathsOf(payload)) {
      for (const kind of ["delete", "other"] as const) {
        serial += 1;
        if (serial % EVERY !== 0) continue;
        const change = kind === "delete" ? kind : { to: OTHERS[(serial >> 1) % OTHERS.length] };
        yield { event, body: mutated(payload, path, change), name: `${file} ${path.join(".")} ${kind}` };
      }
    }
  }
}

describe.runIf(isHere)("webhooks of which one field is not as it should be", () => {
  let harness: Harness;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const crashes: unknown[] = [];
  const onCrash = (error: unknown) => crashes.push(error);
  beforeAll(async () => {
    // Nobody works: what the jobs of such payloads do is for other tests, and each would ask
    // GitHub.
    harness = await openHarness({ app: { workers: 0 } });
    process.on("unhandledRejection", onCrash);
  });
  afterAll(async () => {
    process.off("unhandledRejection", onCrash);
    agent.destroy();
    await harness.close();
  });

  test(
    "are taken, each [R30]",
    async () => {
      const secret = harness.world.appCredentials.webhookSecret;
      const wrong: string[] = [];
      const queue = mutants();
      let sent = 0;
      const since = performance.now();
      const send = async () => {
        for (const { event, body, name } of queue) {
          sent += 1;
          const status = await signedPost(harness.url(), secret, { event, body, id: `mutant-${sent}`, agent });
          if (status !== 202) wrong.push(`${status}: ${name}`);
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, send));
      console.log(`${sent} mutants in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      expect(wrong).toEqual([]);
      expect(crashes).toEqual([]);
      expect(sent).toBeGreaterThan(NIGHTLY ? 50_000 : 50);
      expect((await fetch(`${harness.adminUrl()}/readyz`)).status).toBe(200);
    },
    NIGHTLY ? 30 * 60_000 : 60_000,
  );
});
