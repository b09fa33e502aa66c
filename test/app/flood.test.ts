// Strangers send 300 MB each, many at a time, without a signature or with a wrong one: the process stays small and takes what
// is signed meanwhile. SLOW=1 lets 500 of them in, else 50.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";
import { WEBHOOK_PATH } from "./stage.ts";

const STREAMS = process.env.SLOW === "1" ? 500 : 50;
const MOST_GROWTH = 100 * 1024 * 1024;
const FLOOD = fileURLToPath(new URL("./flood.child.ts", import.meta.url));
/** Enough for each stream to have sent all that it is let. */
const FLOOD_MS = STREAMS * 60;

let deployed: Deployment;
let server: ServerProcess;
beforeAll(async () => {
  deployed = await deployment();
  server = await deployed.start();
});
afterAll(() => deployed.close());

/** A process of its own, so that what is measured here is the server. Resolves with how many streams were opened. */
function flood(kind: string): Promise<number> {
  const words = [FLOOD, server.url + WEBHOOK_PATH, kind, String(STREAMS), String(FLOOD_MS)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  return new Promise((resolve) => child.once("exit", () => resolve(Number(said))));
}

test.each([
  ["without a signature", "length"],
  ["without a signature, of untold length", "chunked"],
  ["with a wrong signature, of untold length", "forged"],
])(
  "streams %s",
  async (name, kind) => {
    await server.deliver("ping", {});
    const before = server.rss();
    let most = before;
    const flooding = flood(kind);
    const statuses: (number | null)[] = [];
    const slowest = { ms: 0 };
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; ) {
      most = Math.max(most, server.rss());
      const since = performance.now();
      statuses.push(await server.deliver("ping", { zen: "Keep it logically awesome." }));
      slowest.ms = Math.max(slowest.ms, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const times = await flooding;
    const grown = ((most - before) / 1024 / 1024).toFixed(1);
    console.log(
      `${STREAMS} streams ${name}, opened ${times} times: +${grown} MiB, ${statuses.length} taken, slowest ${slowest.ms.toFixed(0)} ms`,
    );
    expect(times).toBeGreaterThanOrEqual(STREAMS);
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(most - before).toBeLessThan(MOST_GROWTH);
  },
  FLOOD_MS * 10 + 60_000,
);
