// Strangers send bodies of up to 300 MB, 500 at a time, without a signature or with a wrong one,
// and somebody who can sign sends too much: the process stays small and takes what is signed
// meanwhile. NIGHTLY=1 lets each kind in for 30 s, else two of them for two seconds.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WEBHOOK_PATH } from "./app-harness.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: four of six kinds of floods, and 28 of 30 s of each; NIGHTLY=1 sends all");
const STREAMS = 500;
/** In two seconds a flood that is read to the end takes 60 MB. */
const MOST_GROWTH = (NIGHTLY ? 100 : 30) * 1024 * 1024;
const FLOOD = fileURLToPath(new URL("./flood.child.ts", import.meta.url));
const FLOOD_MS = NIGHTLY ? 30_000 : 2_000;
const MEGABYTE = 1024 * 1024;

let deployed: Deployment;
let server: ServerProcess;
beforeAll(async () => {
  deployed = await deployment();
  server = await deployed.start();
  // A server that was in use: what its first deliveries cost is no flood's doing.
  for (let n = 0; n < 300; n += 20) await Promise.all(Array.from({ length: 20 }, () => server.deliver("ping", {})));
});
afterAll(() => deployed.close());

interface Flood {
  readonly kind: "told" | "untold";
  readonly megabytes: number;
  readonly signature?: "wrong" | "right";
}

/**
 * A process of its own, so that what is measured here is the server. Resolves with how many streams
 * were opened.
 */
function flood({ kind, megabytes, signature }: Flood): Promise<number> {
  const words = [FLOOD, server.url + WEBHOOK_PATH, kind, String(megabytes), String(STREAMS), String(FLOOD_MS)];
  if (signature === "wrong") words.push(`sha256=${"0".repeat(64)}`);
  if (signature === "right") words.push(signed(megabytes));
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  return new Promise((resolve) => child.once("exit", () => resolve(Number(said))));
}

/** Of so many megabytes of spaces. */
function signed(megabytes: number): string {
  const hmac = createHmac("sha256", deployed.world.appCredentials.webhookSecret);
  for (let n = 0; n < megabytes; n += 1) hmac.update(Buffer.alloc(MEGABYTE, " "));
  return `sha256=${hmac.digest("hex")}`;
}

const FLOODS: readonly (readonly [string, Flood])[] = [
  ["without a signature, of untold length", { kind: "untold", megabytes: 300 }],
  ["with a wrong signature, of untold length", { kind: "untold", megabytes: 300, signature: "wrong" }],
  ["without a signature", { kind: "told", megabytes: 300 }],
  ["with a wrong signature", { kind: "told", megabytes: 300, signature: "wrong" }],
  ["with a wrong signature, as large as GitHub's largest", { kind: "told", megabytes: 24, signature: "wrong" }],
  ["with the right signature, too large", { kind: "untold", megabytes: 300, signature: "right" }],
];

test.each(FLOODS.slice(0, NIGHTLY ? FLOODS.length : 2))(
  "streams %s [T14]",
  async (name, kind) => {
    await server.deliver("ping", {});
    const before = server.rss();
    let most = before;
    const flooding = flood(kind);
    const statuses: (number | null)[] = [];
    let slowest = 0;
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; ) {
      most = Math.max(most, server.rss());
      const since = performance.now();
      statuses.push(await server.deliver("ping", { zen: "Keep it logically awesome." }));
      slowest = Math.max(slowest, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const times = await flooding;
    const [from, grown] = [before, most - before].map((bytes) => (bytes / MEGABYTE).toFixed(1));
    console.log(
      `${STREAMS} streams ${name}, opened ${times} times: +${grown} MiB from ${from}, ${statuses.length} taken, slowest ${slowest.toFixed(0)} ms`,
    );
    expect(times).toBeGreaterThanOrEqual(STREAMS);
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(most - before).toBeLessThan(MOST_GROWTH);
  },
  FLOOD_MS * 10 + 60_000,
);

test("refused senders who disconnect free their slots, in any number", async () => {
  const { hostname, port } = new URL(server.url);
  const head = `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 300000000\r\n\r\n`;
  const refused = () =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname).on("error", () => {});
      socket.once("data", () => socket.destroy()).once("close", resolve);
      socket.write(head);
    });
  for (let n = 0; n < 1_100; n += 50) await Promise.all(Array.from({ length: 50 }, refused));
  expect(await server.deliver("ping", {})).toBe(202);
});
