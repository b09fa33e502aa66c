// A database that is not there: when the server starts, and later.
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../postgres.ts";
import { type Deployment, deployment, freePorts, type ServerProcess } from "./server-process.ts";

const given = await testDatabase();
afterAll(() => given?.drop());

interface Wire {
  readonly url: string;
  lay(): Promise<void>;
  cut(): Promise<void>;
}

/** The way to the database, which is not there until it is laid. */
async function wireTo(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const [own] = await freePorts();
  const open = new Set<Socket>();
  const hold = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
  };
  let server: Server | null = null;
  const through = new URL(url);
  Object.assign(through, { hostname: "127.0.0.1", port: own });
  return {
    url: through.href,
    async lay() {
      const laid = createServer((near) => {
        const far = connect(Number(port), hostname);
        for (const socket of [near, far]) hold(socket);
        near.pipe(far).pipe(near);
      });
      await new Promise<void>((resolve) => laid.listen(Number(own), "127.0.0.1", resolve));
      expect((laid.address() as AddressInfo).port).toBe(Number(own));
      server = laid;
    },
    async cut() {
      const laid = server;
      server = null;
      const end = new Promise((resolve) => (laid === null ? resolve(null) : laid.close(resolve)));
      for (const socket of open) socket.destroy();
      await end;
    },
  };
}

const PING = { zen: "Keep it logically awesome.", hook_id: 1 };
const status = async (url: string) => (await fetch(url).catch(() => null))?.status ?? null;

async function untilTrue(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 40_000; waited += 50) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not in time: ${what}`);
}

const isReady = async (server: ServerProcess) => (await status(`${server.adminUrl}/readyz`)) === 200;

describe.skipIf(given === null)("a database that is away", () => {
  let harness: Deployment;
  let wire: Wire;
  beforeAll(async () => {
    harness = await deployment();
    wire = await wireTo(given?.url ?? "");
  });
  afterAll(async () => {
    await harness?.close();
    await wire?.cut();
  });

  test("is waited for at the start: the process lives, says that it is not ready and why, takes no delivery, and serves once it is there", async () => {
    const server = await harness.launch({ DATABASE_URL: wire.url });
    await untilTrue("it answers", async () => (await status(`${server.adminUrl}/healthz`)) === 200);
    const { status: ready, reasons } = await server.ready();
    expect([ready, reasons]).toEqual([
      503,
      ["the database cannot be reached now (ECONNREFUSED)", "waiting for the database"],
    ]);
    expect(await status(`${server.url}/healthz`)).toBe(200);
    expect(await server.deliver("ping", PING)).toBe(503);
    expect(server.log()).toContain("waiting for the database");
    await wire.lay();
    await untilTrue("it is ready", () => isReady(server));
    expect(await server.deliver("ping", PING)).toBe(202);
    if (process.env.NIGHTLY !== "1") return;
    await wire.cut();
    // A delivery is tried for five seconds before it is given back.
    const refused = server.deliver("ping", PING);
    await untilTrue("it says so", async () => !(await isReady(server)));
    expect((await server.ready()).reasons.join()).toMatch(
      /^the store cannot be asked: the database cannot be reached now/,
    );
    expect(await refused).toBe(503);
    expect(await status(`${server.url}/healthz`)).toBe(200);
    await wire.lay();
    await untilTrue("it is ready again", () => isReady(server));
    expect(await server.deliver("ping", PING)).toBe(202);
  });

  test("one that can never be reached as it is named is reported at once, with the fix", async () => {
    const named = new URL(given?.url ?? "");
    named.pathname = "/nothing_of_that_name";
    const server = await harness.launch({ DATABASE_URL: named.href });
    expect(await server.ended()).toBe(2);
    expect(server.log()).toContain("DATABASE_URL: the server has no such database; create it, or fix the name");
  });
});
