// npm run bench -- ack [--seconds N] [--json FILE]: how long a signed delivery and /healthz wait
// for their answers at 50 a second, while eight reviews run, usual ones and the costliest. Beside
// it, in the same run and at the same rate, a bare server and Probot alone, which keep nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { machineNow } from "./machine.ts";

const PER_SECOND = 50;
const GOAL = { p50Ms: 50, p99Ms: 1_000, lost: 0, healthP99Ms: 50 };
/** Bytes of a pull request's delivery at GitHub. */
const USUAL_BYTES = 25_000;
const SECRET = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const PATH = "/api/github/webhooks";

interface Acks {
  readonly sent: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Not answered with success. */
  readonly refused: number;
  /** Answered with 202 and not in the store; null where there is none. */
  readonly lost: number | null;
  /** Reviews that ended meanwhile. */
  readonly reviews: number | null;
  /** Of /healthz; null where there is none. */
  readonly healthP99Ms: number | null;
}

export async function ackBench(words: readonly string[]): Promise<void> {
  const option = (name: string) => words[words.indexOf(name) + 1];
  const seconds = words.includes("--seconds") ? Number(option("--seconds")) : 20;
  const before = machineNow().load;
  const rows = {
    "node:http, nothing kept": await beside("bare", seconds),
    "Probot alone, nothing kept": await beside("probot", seconds),
    "Kodiai, while 8 reviews run": await ours(seconds, []),
    "Kodiai, while 8 costly ones run": await ours(seconds, ["costly"]),
  };
  const report = {
    bench: "ack",
    perSecond: PER_SECOND,
    seconds,
    machine: { ...machineNow(), before },
    rows,
    goal: GOAL,
  };
  console.log(JSON.stringify(report));
  if (words.includes("--json")) writeFileSync(option("--json") ?? "ack.json", `${JSON.stringify(report, null, 2)}\n`);
  const { cpu, cores, node, load } = report.machine;
  console.log(`\n${cpu}, ${cores} cores, load ${before} before and ${load} after, Node ${node}`);
  console.log(`${PER_SECOND} deliveries of ${USUAL_BYTES / 1_000} kB a second for ${seconds} s\n`);
  const head = ["", "sent", "p50 ms", "p99 ms", "max ms", "refused", "lost", "reviews", "health"];
  const cells = Object.entries(rows).map(([name, seen]) => [
    name,
    String(seen.sent),
    ...[seen.p50Ms, seen.p99Ms, seen.maxMs].map((ms) => ms.toFixed(1)),
    ...[seen.refused, seen.lost, seen.reviews].map((count) => String(count ?? "")),
    seen.healthP99Ms?.toFixed(1) ?? "",
  ]);
  for (const line of [head, ...cells])
    console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(30) : cell.padStart(9))).join(""));
}

async function beside(kind: "bare" | "probot", seconds: number): Promise<Acks> {
  const child = started("ack-baseline.ts", [kind, SECRET]);
  const { url = "" } = await firstLine(child);
  const { acks } = await load(url, SECRET, seconds);
  child.kill("SIGKILL");
  return acks;
}

async function ours(seconds: number, words: readonly string[]): Promise<Acks> {
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-ack-"));
  const world = started("ack-fixture.ts", words);
  const reported = await firstLine(world);
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    APP_ID: reported.appId,
    PRIVATE_KEY: String(reported.privateKey),
    WEBHOOK_SECRET: reported.webhookSecret,
    KODIAI_GITHUB_API_URL: reported.apiUrl,
    KODIAI_DATA_DIR: dataDir,
    KODIAI_WORKERS: "8",
    // What a review does to GitHub is not measured here, and GitHub wants a second between two
    // writes.
    KODIAI_DRY_RUN: "true",
    PORT: String(port),
    KODIAI_ADMIN_PORT: String(adminPort),
    HOST: "127.0.0.1",
  };
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const server = spawn(process.execPath, [main], { cwd: dataDir, env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) if (line.includes("Kodiai is listening")) break;
  server.stdout.resume();
  const url = `http://127.0.0.1:${port}${PATH}`;
  world.stdin?.write(`${url}\n`);
  // The first reviews compile and read what the later ones find ready.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const health = healthOf(`http://127.0.0.1:${adminPort}/healthz`, seconds);
  const { acks, accepted } = await load(url, String(reported.webhookSecret), seconds);
  const healthP99Ms = await health;
  server.kill("SIGTERM");
  await new Promise((resolve) => server.once("exit", resolve));
  world.kill("SIGKILL");
  const db = new Database(join(dataDir, "queue.db"), { readonly: true });
  const keeps = db.prepare("SELECT 1 FROM deliveries WHERE id = ?").pluck();
  const lost = accepted.filter((id) => keeps.get(id) === undefined).length;
  const reviews = db
    .prepare("SELECT count(*) FROM jobs WHERE lane = 'review' AND state = 'done'")
    .pluck()
    .get() as number;
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
  return { ...acks, lost, reviews, healthP99Ms };
}

/** Asked at the same rate; the 99th percentile of its answers. */
async function healthOf(url: string, seconds: number): Promise<number> {
  const due = performance.now();
  const times = await Promise.all(
    Array.from({ length: seconds * PER_SECOND }, async (_, number) => {
      const at = due + (number * 1_000) / PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, at - performance.now()));
      await (await fetch(url)).text();
      return performance.now() - at;
    }),
  );
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

/**
 * Sends at a fixed rate, regardless of the responses; times run from when a delivery was due, so
 * that a stall counts for all it delays.
 */
async function load(
  url: string,
  secret: string,
  seconds: number,
): Promise<{ acks: Acks; accepted: readonly string[] }> {
  const agent = new Agent({ keepAlive: true });
  const filling = "A picture says more than a thousand words. ".repeat(USUAL_BYTES / 43);
  const times: number[] = [];
  const accepted: string[] = [];
  let refused = 0;
  const due = performance.now();
  const all = Array.from({ length: seconds * PER_SECOND }, async (_, number) => {
    const at = due + (number * 1_000) / PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, at - performance.now()));
    const id = randomUUID();
    const status = await send(url, secret, agent, id, JSON.stringify({ action: "assigned", number, body: filling }));
    times.push(performance.now() - at);
    if (status === 202 || status === 200) accepted.push(id);
    else refused += 1;
  });
  await Promise.all(all);
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const acks = {
    sent: times.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    refused,
    lost: null,
    reviews: null,
    healthP99Ms: null,
  };
  return { acks, accepted };
}

function send(url: string, secret: string, agent: Agent, id: string, body: string): Promise<number | null> {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-github-delivery": id,
    "x-github-event": "pull_request",
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", headers, agent }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? null));
    });
    sent.once("error", () => resolve(null));
    sent.end(body);
  });
}

function started(file: string, words: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...words], { stdio: ["pipe", "pipe", "inherit"] });
}

async function firstLine({ stdout }: ChildProcess): Promise<Readonly<Record<string, string>>> {
  if (stdout === null) throw new Error("the process has no output");
  for await (const line of createInterface({ input: stdout })) {
    stdout.resume();
    return JSON.parse(line) as Record<string, string>;
  }
  throw new Error("the process ended without a word");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
