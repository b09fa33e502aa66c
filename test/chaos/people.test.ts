// What people do beside pushing, and what the harness stands in for: clocks that are set, the App
// taken away, repositories that move, strangers who are slow. Each part is shown to do what it
// says, because a fault that does not happen proves nothing.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newBreakpoints } from "../../chaos/breakpoints.ts";
import { newCanaries } from "../../chaos/canaries.ts";
import { openClock } from "../../chaos/clock.ts";
import { type HistoryEvent, ofKind, openHistory } from "../../chaos/history.ts";
import { openDesk } from "../../chaos/installations.ts";
import { gatherPeople } from "../../chaos/people.ts";
import { REPOSITORY_EVENTS } from "../../chaos/repository-events.ts";
import { seededRandom } from "../../chaos/seeded-random.ts";
import { sendSlowly } from "../../chaos/slow-senders.ts";
import { objectionTo } from "../../chaos/token-times.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";

describe("a clock on the wall", () => {
  const folder = mkdtempSync(join(tmpdir(), "chaos-clock-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["by the best means at hand", undefined],
    ["by Date alone", null],
  ])("is set for the server, %s, while what has passed is left alone", async (_, library) => {
    const clock = openClock(folder, "clock", library);
    clock.set(-3_600_000);
    expect(clock.offset()).toBe(-3_600_000);
    const script = `const up = process.hrtime.bigint(); const made = new Date();
      console.log(JSON.stringify([Date.now(), made.getTime(), made instanceof Date, Number(process.hrtime.bigint() - up) / 1e6]));`;
    const env = { PATH: process.env.PATH, ...clock.env };
    const { stdout } = await promisify(execFile)(process.execPath, [...clock.args, "-e", script], { env });
    const [now, made, isDate, passed] = JSON.parse(stdout);
    for (const reported of [now, made]) expect(Math.abs(reported - (Date.now() - 3_600_000))).toBeLessThan(60_000);
    expect([isDate, passed < 60_000]).toEqual([true, true]);
  });

  test("off by an hour makes tokens that GitHub does not take, and says so in words that clients know", () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = (at: number) => `bearer ${part({ alg: "RS256" })}.${part({ iat: at - 30, exp: at + 570 })}.c2ln`;
    const now = 1_790_000_000;
    expect(objectionTo(token(now), now * 1000)).toBeNull();
    expect(objectionTo(token(now - 600), now * 1000)).toContain("'exp'");
    expect(objectionTo(token(now - 3_600), now * 1000)).toContain("'exp'");
    expect(objectionTo(token(now + 3_600), now * 1000)).toContain("'iat'");
    expect(objectionTo("token ghs_abc", now * 1000)).toBeNull();
  });
});

describe("the desk of installations", () => {
  const installations = new Map([
    ["acme", 1],
    ["globex", 2],
  ]);
  const shop = { id: 7, owner: "acme" };
  const open = () => openDesk({ installations, repository: (id) => (id === 7 ? shop : null) });
  const asks = (path: string, installation: number | null, text = "", repository: typeof shop | null = null) => ({
    ...{ method: "GET", path, text, installation, repository },
  });
  const mint = (id: number) => asks(`/app/installations/${id}/access_tokens`, null, '{"repository_ids":[7]}');
  const read = asks("/repos/acme/shop/pulls/1", 1, "", shop);

  test("lets everything pass where the App is installed, and no token reach what another owner has", () => {
    const desk = open();
    expect([desk.refusal(mint(1)), desk.refusal(read), desk.receives(1, 7)]).toEqual([null, null, true]);
    expect(desk.refusal(mint(2))?.status).toBe(422);
  });

  test("refuses what is switched off until it is on again", () => {
    const desk = open();
    desk.suspend(1);
    expect([desk.refusal(mint(1))?.status, desk.refusal(read)?.status, desk.receives(1, 7)]).toEqual([403, 403, false]);
    expect(desk.refusal(read)?.body.toString()).toContain("suspended");
    desk.unsuspend(1);
    expect([desk.refusal(read), desk.receives(1, 7)]).toEqual([null, true]);
  });

  test("refuses what a permission is missing for, until it is given back", () => {
    const desk = open();
    const post = { ...asks("/repos/acme/shop/pulls/1/reviews", 1, "{}", shop), method: "POST" };
    const file = asks("/repos/acme/shop/contents/a.py", 1, "", shop);
    const status = () => [read, post, file].map((one) => desk.refusal(one)?.status ?? null);
    desk.forbid(1, "writes");
    expect([status(), desk.isForbidden(shop)]).toEqual([[null, 403, null], true]);
    desk.forbid(1, "reads");
    expect(status()).toEqual([null, null, 403]);
    desk.forbid(1, "all");
    expect([status(), desk.refusal(mint(1))]).toEqual([[403, 403, 403], null]);
    desk.allow(1);
    expect([status(), desk.isForbidden(shop)]).toEqual([[null, null, null], false]);
  });

  test("knows no token of a removed installation, no longer lists it, and delivers nothing of it", () => {
    const desk = open();
    desk.uninstall(1);
    expect([desk.refusal(mint(1))?.status, desk.refusal(read)?.status, desk.receives(1, 7)]).toEqual([404, 401, false]);
    expect([desk.isRemoved(shop), desk.isRemoved({ id: 8, owner: "globex" })]).toEqual([true, false]);
    const listed = { status: 200, headers: {}, body: Buffer.from('[{"id":1},{"id":2}]') };
    expect(desk.shown("/app/installations", listed).body.toString()).toBe('[{"id":2}]');
  });

  test("one repository that was taken out is not found, and the others are", () => {
    const desk = open();
    desk.remove(7);
    expect([desk.refusal(mint(1))?.status, desk.refusal(read)?.status]).toEqual([422, 404]);
    expect(desk.refusal(asks("/repos/acme/bank", 1, "", { id: 8, owner: "acme" }))).toBeNull();
  });
});

describe("people", () => {
  let world: GitHubWorld;
  const owners = ["ownera", "ownerb", "ownerc"];
  beforeAll(async () => {
    world = await startGitHub({ owners });
  });
  afterAll(() => world.close());

  test("rename, hand over, switch off, take out and take away, each a few times, and two owners stay", async () => {
    const history = openHistory(null);
    const canaries = newCanaries();
    const options = {
      owners,
      repositoriesEach: 2,
      pulls: 8,
      upheaving: () => ({ people: true, permission: false }),
      atRandom: 0.02,
      times: 1,
    };
    const people = await gatherPeople({ world, random: seededRandom("upheavals"), history, canaries, ...options });
    for (let act = 0; act < 16; act++) await people.act();
    const births = people.repositories.map(people.bornAs);
    for (let turn = 0; turn < 60; turn++)
      await people.upheave(people.repositories[turn % 6] as (typeof people.repositories)[number], "before GET pulls");
    await people.calm();
    for (let turn = 0; turn < 60; turn++)
      await people.upheave(people.repositories[turn % 6] as (typeof people.repositories)[number], "before GET pulls");
    await people.calm();
    const done = new Set(ofKind(history.all, "upheaval").map(({ what }) => what));
    expect([...done].toSorted()).toEqual([...REPOSITORY_EVENTS, "unsuspend"].toSorted());
    // What the harness calls a repository stays, whatever people call it; and it is found by all of
    // its names.
    expect(people.repositories.map(people.bornAs)).toEqual(births);
    for (const one of people.repositories) {
      expect(people.byName(`${one.owner}/${one.name}`)?.id).toBe(one.id);
      expect(people.byName(people.bornAs(one))?.id).toBe(one.id);
    }
    const existing = people.repositories.filter((one) => !people.desk.isRemoved(one));
    expect(new Set(existing.map(({ owner }) => owner)).size).toBeGreaterThanOrEqual(2);
    expect(existing.length).toBeLessThan(people.repositories.length);
    // They go on with what stands, under its present name.
    for (let act = 0; act < 8; act++) await people.act();
    const isOver = (one: HistoryEvent) => one.kind === "act" && one.state === "removed";
    const reported = ofKind(history.all, "upheaval").filter(({ what }) => what === "uninstall" || what === "remove");
    expect(reported.length).toBe(2);
    expect(history.all.some(isOver)).toBe(true);
  });
});

test("a breakpoint strikes the server that it was set for, and any if it was set for none", async () => {
  const breakpoints = newBreakpoints();
  const struck = breakpoints.arm(/GET pulls/, 5_000, 2);
  expect(breakpoints.reach("before GET pulls", 0)).toBe(false);
  expect(breakpoints.reach("before GET pulls", 2)).toBe(true);
  expect(await struck).toBe("before GET pulls");
  void breakpoints.arm(/GET pulls/, 5_000);
  expect(breakpoints.reach("before GET pulls", 3)).toBe(true);
});

describe("strangers who are slow", () => {
  const closing: (() => unknown)[] = [];
  /** The port of a server that goes with the test. */
  const listening = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return (server.address() as AddressInfo).port;
  };
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  test("hold their connections until they are cut, and the duration is recorded", async () => {
    const server = createServer(
      { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 },
      (request) => {
        request.resume();
      },
    );
    server.setTimeout(500);
    const port = await listening(server);
    const history = openHistory(null);
    await sendSlowly(port, 2, history, undefined, () => true).over;
    const slow = ofKind(history.all, "slow");
    expect(slow.map(({ how }) => how).toSorted()).toEqual(["body", "body", "headers", "headers", "silence", "silence"]);
    for (const { where, ms } of slow) expect([where, ms > 100]).toEqual(["ingress", true]);
  });

  test("those that go away by themselves, and those of a dead server, say nothing", async () => {
    const server = createServer();
    const port = await listening(server);
    const history = openHistory(null);
    const held = sendSlowly(port, 1, history, undefined, () => true);
    held.stop();
    await held.over;
    expect(history.all).toEqual([]);
  });
});
