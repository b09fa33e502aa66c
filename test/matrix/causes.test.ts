// Each way in which a model gives no answer, through a whole review: people read this cause with
// its fix, and no other one.

import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CONNECTION_CAUSES } from "../../src/adapters/connection-cause.ts";
import { fixOf } from "../../src/adapters/model/model-error.ts";
import { COMPLETIONS } from "../../src/adapters/model/openai/completions.ts";
import { servedModel } from "../../src/adapters/model/served-model.ts";
import { readModel } from "../../src/config/environment/read-models.ts";
import type { ModelFailure } from "../../src/domain/model.ts";
import { UNLIMITED } from "../../src/ports/model.ts";
import { MODEL_CAUSES } from "../../src/review/reading/plan-reading.ts";
import { chosenModel, promptDelimiter } from "../../src/wire/models.ts";
import { LOGIN } from "../app/change-builders.ts";
import { LIMITS } from "../app/model-harness.ts";
import { type Replies, startAnthropic as startServer } from "../fakes/anthropic/server.ts";
import { says } from "../fakes/openai/replies.ts";
import { openReviewFlow, type ReviewFlow } from "../flows/review-flow.ts";
import { refuses } from "./fake-model-server.ts";

let flow: ReviewFlow;
beforeAll(async () => {
  flow = await openReviewFlow();
});
afterAll(() => flow.close());

type Fetch = Parameters<typeof servedModel>[1]["fetch"];

/** The summary of a review by the model at an address, as a person reads it. */
async function summaryBy(url: string, fetch?: Fetch): Promise<string> {
  const read = readModel(
    new Map([
      ["OPENAI_BASE_URL", url],
      ["KODIAI_MODEL", "some-model"],
    ]),
  );
  if ("problems" in read || read.model === null) expect.fail("the variables are wrong");
  const choice = { ...read.model, limits: { ...LIMITS, overallMs: 3_000, firstByteMs: 500 } };
  const settings = { ...choice, mask: async (text: string) => text, lessons: null, now: Date.now };
  const model = fetch === undefined ? await chosenModel(choice) : servedModel(COMPLETIONS, { ...settings, fetch });
  const pull = flow.open({ files: { "src/login.ts": LOGIN } });
  await flow.review(pull, { access: { ...UNLIMITED, model, delimiter: promptDelimiter } });
  return (pull.posted.summaries[0] ?? "").replaceAll(/[\\`]/g, "");
}

function expectOnly(summary: string, failure: ModelFailure, fix: string): void {
  const said = Object.entries(MODEL_CAUSES).filter(([, { what }]) => summary.includes(`: ${what}`));
  expect(
    said.map(([id]) => id),
    summary,
  ).toEqual([failure]);
  expect(summary).toContain(fix.replaceAll("`", ""));
}

const OF_FAMILY: Readonly<Record<string, string>> = {
  CERTIFICATE: "DEPTH_ZERO_SELF_SIGNED_CERT",
  TLS: "ERR_SSL_WRONG_VERSION_NUMBER",
  HTTP: "HPE_INVALID_CONSTANT",
};

test.each(Object.entries(CONNECTION_CAUSES))(
  "a connection that fails with %s is said with what to do",
  async (id, { what, fix }) => {
    const code = OF_FAMILY[id] ?? id;
    const fails = () =>
      Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("secret"), { code }) }));
    const summary = await summaryBy("http://127.0.0.1:9/v1", fails as never);
    const said = `${code} (${what}); ${fix}`;
    expectOnly(summary, "unreachable", id === "EGRESS_REFUSED" ? "check OPENAI_BASE_URL" : said);
    expect(summary).not.toContain("secret");
  },
);

async function withSockets<T>(meet: (socket: Socket) => void, use: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    meet(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await use((server.address() as { port: number }).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  }
}

test.each<[string, "http" | "https", (socket: Socket) => void, ModelFailure, RegExp]>([
  ["hangs up", "http", (socket) => socket.destroy(), "unreachable", /the connection was cut/],
  [
    "speaks another protocol",
    "http",
    (socket) => socket.end("220 mail.example ESMTP\r\n"),
    "unreachable",
    /does not speak HTTP there/,
  ],
  [
    "speaks no TLS",
    "https",
    (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    "unreachable",
    /does not speak TLS there/,
  ],
  ["says nothing", "http", () => {}, "timeout", /did not answer within 500 ms; check its load, or use a faster model/],
])("a server that %s is named as that", async (_, scheme, meet, failure, says_) => {
  const summary = await withSockets(meet, (port) => summaryBy(`${scheme}://127.0.0.1:${port}/v1`));
  expectOnly(summary, failure, "check");
  expect(summary).toMatch(says_);
});

test("a port on which nothing listens is named as that", async () => {
  const port = await withSockets(
    () => {},
    (free) => Promise.resolve(free),
  );
  expectOnly(await summaryBy(`http://127.0.0.1:${port}/v1`), "unreachable", "ECONNREFUSED (nothing listens there)");
});

const KEYS = { keyVariable: "OPENAI_API_KEY", urlVariable: "OPENAI_BASE_URL" };
const STATUSES: readonly (readonly [number, ModelFailure])[] = [
  ...([
    [400, "rejected"],
    [401, "denied"],
    [402, "unpaid"],
    [403, "denied"],
    [404, "rejected"],
    [413, "too-long"],
  ] as const),
  ...([
    [429, "rate-limited"],
    [500, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
  ] as const),
  ...([
    [502, "unreachable"],
    [504, "timeout"],
  ] as const),
];

test.each(STATUSES)("status %i is said with the server's sentence and its fix", async (status, failure) => {
  const replies: Replies = () => refuses(status, { error: { message: "Not now, said the server." } });
  await using server = await startServer({ replies });
  const summary = await summaryBy(server.url);
  expectOnly(summary, failure, fixOf(status, KEYS));
  expect(summary).toContain(`it answered ${status}: Not now, said the server; `);
});

test.each<[ModelFailure, Replies]>([
  ["refused", () => says("", { finishReason: "content_filter" })],
  ["truncated", () => says('{"findings": [', { finishReason: "length" })],
  ["malformed", () => says("Looks good to me!")],
])("a reply that is %s is said so, with its fix", async (failure, replies) => {
  await using server = await startServer({ replies });
  expectOnly(await summaryBy(server.url), failure, MODEL_CAUSES[failure].fix);
});

test("every cause has a fix that names what to do", () => {
  const fixes = [...Object.values(CONNECTION_CAUSES), ...Object.values(MODEL_CAUSES)].map(({ fix }) => fix);
  for (const fix of fixes) expect(fix).toMatch(/^(?:check|set|wait|add|raise|use|ask|`kodiai)/);
});
