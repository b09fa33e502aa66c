// The one thing of Kodiai that strangers reach: what it answers to deliveries that are forged,
// broken, odd or huge.
import { createHmac } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, WEBHOOK_PATH } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";

let harness: Harness;
let repository: Repository;
let pull: Pull;
let opening: Record<string, unknown>;

beforeAll(async () => {
  harness = await openHarness();
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  opening = harness.world.deliveries[0]?.payload as Record<string, unknown>;
});
afterAll(() => harness.close());

function signature(body: string, secret = harness.world.appCredentials.webhookSecret): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

async function post(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const answer = await fetch(harness.url() + WEBHOOK_PATH, { method: "POST", body, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** Nothing that was sent since made a job, and the app still answers. */
async function expectUntouched(jobs: number): Promise<void> {
  expect(harness.jobs(pull)).toHaveLength(jobs);
  expect((await fetch(`${harness.url()}/healthz`)).status).toBe(200);
}

describe("a delivery is refused", () => {
  test("when it is signed with another secret", async () => {
    const { status, id } = await harness.world.deliver("pull_request", opening, { secret: "another secret" });
    expect(status).toBe(401);
    expect(harness.outcomeOf(id)).toBeNull();
    await expectUntouched(1);
  });

  test("when it is not signed", async () => {
    const { status, id } = await harness.world.deliver("pull_request", opening, { secret: null });
    expect(status).toBe(401);
    expect(harness.outcomeOf(id)).toBeNull();
    await expectUntouched(1);
  });

  test("when its body was changed on the way", async () => {
    const forged = JSON.stringify({ ...opening, action: "reopened" });
    const status = await post(forged, {
      "content-type": "application/json",
      "x-github-event": "pull_request",
      "x-github-delivery": "9e1c1a30-0000-4000-8000-000000000001",
      "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
    });
    expect(status).toBe(401);
    await expectUntouched(1);
  });

  test("when its headers are missing", async () => {
    const json = { "content-type": "application/json" };
    expect(await post("{}", json)).toBe(401);
    const signed = { ...json, "x-hub-signature-256": signature("{}") };
    expect(await post("{}", { ...signed, "x-github-event": "ping" })).toBe(400);
    expect(await post("{}", { ...signed, "x-github-delivery": "9e1c1a30-0000-4000-8000-000000000002" })).toBe(400);
    expect(await post("payload=%7B%7D", { "content-type": "application/x-www-form-urlencoded" })).toBe(415);
    expect(await post("{}", { ...signed, "content-encoding": "gzip" })).toBe(415);
    await expectUntouched(1);
  });

  test.each(["{", "", "null", "[]", '"text"', "\u0000", '{"a":1}}', "not json at all"])(
    "when its body is %j",
    async (body) => {
      const { status, id } = await harness.world.deliver("pull_request", body);
      expect(status).toBe(400);
      expect(harness.outcomeOf(id)).toBeNull();
      await expectUntouched(1);
    },
  );

  test("when it says that it is larger than GitHub's deliveries", async () => {
    expect(await raw("POST", WEBHOOK_PATH, { "content-length": String(26 * 1024 * 1024) })).toBe(413);
    await expectUntouched(1);
  });

  test("when it is larger than GitHub's deliveries and does not say so", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    const forged = {
      "x-github-delivery": "9e1c1a30-0000-4000-8000-000000000003",
      "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
    };
    const status = await raw("POST", WEBHOOK_PATH, forged, async (sent) => {
      for (let n = 0; n < 40 && !sent.destroyed; n++)
        if (!sent.write(megabyte)) await new Promise((resolve) => sent.once("drain", resolve).once("close", resolve));
    });
    expect(status).toBe(413);
    await expectUntouched(1);
  });
});

describe("a delivery is taken and ignored", () => {
  test.each([
    ["fork", { forkee: { full_name: "acme/shop" } }],
    ["a_new_event", { action: "happened" }],
    ["ping", { zen: "Keep it logically awesome.", hook_id: 1 }],
  ])("when the event is %s", async (event, payload) => {
    const { status, id } = await harness.world.deliver(event, payload);
    expect(status).toBe(202);
    expect(harness.outcomeOf(id)).toEqual({ outcome: "ignored", reason: `event "${event}" is not handled` });
  });

  test("when the action is new to us", async () => {
    const { status, id } = await harness.world.deliver("pull_request", { ...opening, action: "teleported" });
    expect(status).toBe(202);
    expect(harness.outcomeOf(id)?.reason).toBe('action "teleported" is not handled');
  });

  test.each([
    ["pull_request", null],
    ["installation", undefined],
    ["repository", { id: "one" }],
    ["action", 7],
  ])("when %s of the payload is %j", async (key, value) => {
    const { status, id } = await harness.world.deliver("pull_request", { ...opening, [key]: value });
    expect(status).toBe(202);
    expect(harness.outcomeOf(id)).toMatchObject({
      outcome: "ignored",
      reason: expect.stringMatching(/^malformed payload: /),
    });
    await expectUntouched(1);
  });
});

test("a delivery of several megabytes is read like any other", async () => {
  const body = "A picture says more than a thousand words. ".repeat(100_000);
  const huge = { ...opening, action: "edited", changes: {}, note: body };
  const { status, id } = await harness.world.deliver("pull_request", huge);
  expect(status).toBe(202);
  expect(harness.outcomeOf(id)).toEqual({
    outcome: "ignored",
    reason: "edited: neither the base nor a hold tag ([wip], [draft], [no-review]) changed",
  });
});

test("/healthz says no more to strangers than that the process lives", async () => {
  const answer = await fetch(`${harness.url()}/healthz?verbose=1`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe("ok");
});

test("/healthz shows the operator that the store answers and how many jobs there are", async () => {
  const answer = await fetch(`${harness.adminUrl()}/healthz?verbose=1`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toEqual({
    ok: true,
    jobs: { waiting: 0, running: 0, parked: 0 },
  });
});

test("any other request to the public port gets 404 and does not reveal who answers [T30]", async () => {
  const paths = [
    ...[
      "/",
      "/probot",
      "/probot/",
      "/probot/setup",
      "/probot/import",
      "/probot/success",
      "/probot/static/probot-head.png",
    ],
    ...[
      "/ping",
      "/readyz",
      "/metrics",
      "/health",
      "/debug",
      "/stats",
      "/dashboard",
      "/favicon.ico",
      "/robots.txt",
      "/.env",
    ],
    ...[
      "/../../etc/passwd",
      "/api/github",
      `${WEBHOOK_PATH}/x`,
      `/x${WEBHOOK_PATH}`,
      "//healthz",
      "/healthz/",
      "/healthz/x",
    ],
    ...[
      "/%68ealthz",
      "/api/github/%77ebhooks",
      "*",
      "http://example.com/healthz",
      "/healthz%00",
      "/\\..\\",
      "/%2e%2e/",
    ],
  ];
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"];
  const asked = [
    ...methods.flatMap((method) => paths.map((path) => [method, path] as const)),
    ...methods.filter((method) => method !== "POST").map((method) => [method, WEBHOOK_PATH] as const),
    ...methods.filter((method) => method !== "GET").map((method) => [method, "/healthz"] as const),
  ];
  const wrong: unknown[] = [];
  for (const [method, path] of asked) {
    const seen = await look(method, path);
    const names = Object.keys(seen.headers).filter((name) => !USUAL_HEADERS.has(name));
    if (seen.status !== 404 || names.length > 0 || seen.body !== "") wrong.push({ method, path, ...seen });
  }
  expect(wrong).toEqual([]);
  await expectUntouched(1);
});

/** What Node's server says by itself, and the type: no name and no version. */
const USUAL_HEADERS = new Set(["date", "connection", "content-type", "transfer-encoding", "content-length"]);

function look(method: string, path: string): Promise<{ status: number | undefined; headers: object; body: string }> {
  const { hostname, port } = new URL(harness.url());
  return new Promise((resolve, reject) => {
    const sent = request({ method, path, hostname, port, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      resolve({
        status: response.statusCode,
        headers: response.headers,
        body: Buffer.concat(chunks).toString(),
      });
    });
    sent.on("error", reject).end();
  });
}

describe("the operator asks on a port of its own", () => {
  test("which says whether a delivery could be kept now", async () => {
    const answer = await fetch(`${harness.adminUrl()}/readyz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true, reasons: [] });
  });

  test("which gives figures, with no name of a repository or person among them [T30]", async () => {
    await harness.world.deliver("fork", {});
    const answer = await fetch(`${harness.adminUrl()}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/^kodiai_deliveries_total\{event="fork",outcome="ignored"\} \d+$/m);
    expect(text).toMatch(/^kodiai_deliveries_total\{event="pull_request",outcome="review"\} 1$/m);
    expect(text).toMatch(/^kodiai_answers_total\{status="401"\} \d+$/m);
    expect(text).toMatch(/^kodiai_ready 1$/m);
    expect(text).toMatch(/^kodiai_ack_seconds_count [1-9]\d*$/m);
    expect(text).not.toMatch(/acme|shop|mona/);
    const shape = /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"\n]*"(?:,\w+="[^"\n]*")*\})? [\d.e+-]+)$/;
    expect(
      text
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "" && !shape.test(line)),
    ).toEqual([]);
  });

  test.each([
    ["POST", "/readyz"],
    ["POST", "/"],
    ["GET", WEBHOOK_PATH],
    ["POST", WEBHOOK_PATH],
  ])("and answers %s %s with 404", async (method, path) => {
    expect((await fetch(harness.adminUrl() + path, { method })).status).toBe(404);
  });

  test("and keeps the dashboard closed without a token for it [T30]", async () => {
    const answer = await fetch(`${harness.adminUrl()}/`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("KODIAI_DASHBOARD_TOKEN");
  });
});

/** As fetch would, with path and headers as they are. `send` writes a body of any size. */
function raw(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  send: (sent: ClientRequest) => Promise<void> = () => Promise.resolve(),
): Promise<number | undefined> {
  const { hostname, port } = new URL(harness.url());
  const all = { "content-type": "application/json", "x-github-event": "pull_request", ...headers };
  return new Promise((resolve, reject) => {
    let status: number | undefined;
    const sent = request({ method, path, hostname, port, headers: all }, (response) => {
      status = response.statusCode;
      response.resume();
      resolve(status);
      sent.destroy();
    });
    sent.setMaxListeners(0);
    sent.on("error", (error) => (status === undefined ? reject(error) : undefined));
    if (headers["content-length"] === undefined) void send(sent).then(() => sent.end());
    else sent.flushHeaders();
  });
}
