// The one thing of Kodiai that strangers reach: what it answers to deliveries that are forged, broken, odd or huge.
import { type ClientRequest, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { BACKUP } from "./given.ts";
import { openStage, type Stage, WEBHOOK_PATH } from "./stage.ts";

let stage: Stage;
let repository: Repository;
let pull: Pull;
let opening: Record<string, unknown>;

beforeAll(async () => {
  stage = await openStage();
  repository = await stage.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  pull = await stage.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await stage.settled(pull);
  opening = stage.world.deliveries[0]?.payload as Record<string, unknown>;
});
afterAll(() => stage.close());

async function post(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const answer = await fetch(stage.url() + WEBHOOK_PATH, { method: "POST", body, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** Nothing that was sent since made a job, and the app still answers. */
async function expectUntouched(jobs: number): Promise<void> {
  expect(stage.jobs(pull)).toHaveLength(jobs);
  expect((await fetch(`${stage.url()}/healthz`)).status).toBe(200);
}

describe("a delivery is refused", () => {
  test("when it is signed with another secret", async () => {
    const { status, id } = await stage.world.deliver("pull_request", opening, { secret: "another secret" });
    expect(status).toBe(400);
    expect(stage.outcomeOf(id)).toBeNull();
    await expectUntouched(1);
  });

  test("when it is not signed", async () => {
    const { status, id } = await stage.world.deliver("pull_request", opening, { secret: null });
    expect(status).toBe(400);
    expect(stage.outcomeOf(id)).toBeNull();
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
    expect(status).toBe(400);
    await expectUntouched(1);
  });

  test("when its headers are missing", async () => {
    expect(await post("{}", { "content-type": "application/json" })).toBe(400);
    expect(await post("payload=%7B%7D", { "content-type": "application/x-www-form-urlencoded" })).toBe(415);
    await expectUntouched(1);
  });

  test.each(["{", "", "null", "[]", '"text"', "\u0000", '{"a":1}}', "not json at all"])(
    "when its body is %j",
    async (body) => {
      const { status, id } = await stage.world.deliver("pull_request", body);
      expect(status).toBe(400);
      expect(stage.outcomeOf(id)).toBeNull();
      await expectUntouched(1);
    },
  );

  test("when it says that it is larger than GitHub's deliveries", async () => {
    expect(await raw("POST", WEBHOOK_PATH, { "content-length": String(26 * 1024 * 1024) })).toBe(413);
    await expectUntouched(1);
  });

  test("when it is larger than GitHub's deliveries and does not say so", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    const status = await raw("POST", WEBHOOK_PATH, {}, async (sent) => {
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
    const { status, id } = await stage.world.deliver(event, payload);
    expect(status).toBe(200);
    expect(stage.outcomeOf(id)).toEqual({ outcome: "ignored", reason: `event "${event}" asks nothing of us` });
  });

  test("when the action is new to us", async () => {
    const { status, id } = await stage.world.deliver("pull_request", { ...opening, action: "teleported" });
    expect(status).toBe(200);
    expect(stage.outcomeOf(id)?.reason).toBe('action "teleported" asks nothing of us');
  });

  test.each([
    ["pull_request", null],
    ["installation", undefined],
    ["repository", { id: "one" }],
    ["action", 7],
  ])("when %s of the payload is %j", async (key, value) => {
    const { status, id } = await stage.world.deliver("pull_request", { ...opening, [key]: value });
    expect(status).toBe(200);
    expect(stage.outcomeOf(id)).toMatchObject({
      outcome: "ignored",
      reason: expect.stringMatching(/^malformed payload: /),
    });
    await expectUntouched(1);
  });
});

test("a delivery of several megabytes is read like any other", async () => {
  const body = "A picture says more than a thousand words. ".repeat(100_000);
  const huge = { ...opening, action: "edited", changes: {}, note: body };
  const { status, id } = await stage.world.deliver("pull_request", huge);
  expect(status).toBe(200);
  expect(stage.outcomeOf(id)).toEqual({ outcome: "ignored", reason: "edited: neither base nor a holding tag changed" });
});

test("/healthz says that the store answers, how many jobs there are and how far memory is read", async () => {
  const answer = await fetch(`${stage.url()}/healthz?verbose=1`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toEqual({
    ok: true,
    jobs: { waiting: 0, running: 0, dead: 0 },
    memory: { state: expect.stringMatching(/^(?:cold|warming|warm)$/), repositories: 0, rows: 0 },
  });
});

test.each([
  ["GET", WEBHOOK_PATH, 404],
  ["POST", "/healthz", 404],
  ["GET", "/", 404],
  ["GET", "/probot", 404],
  ["GET", "/../../etc/passwd", 404],
  ["POST", "/probot/import", 404],
])("%s %s is answered with %i", async (method, path, status) => {
  expect(await raw(method, path)).toBe(status);
  await expectUntouched(1);
});

/** As fetch would, with path and headers as they are. `send` writes a body of any size. */
function raw(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  send: (sent: ClientRequest) => Promise<void> = () => Promise.resolve(),
): Promise<number | undefined> {
  const { hostname, port } = new URL(stage.url());
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
