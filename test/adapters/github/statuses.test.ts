// Each status at each place where GitHub is asked: what our code makes of it, and how often it
// asks.

import { Octokit } from "@octokit/rest";
import { expect, test } from "vitest";
import { type Clients, githubClients } from "../../../src/adapters/github/clients.ts";
import { RESOLVE_THREAD } from "../../../src/adapters/github/graphql-documents.ts";
import type { GuardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { githubChecks } from "../../../src/adapters/github/write/checks.ts";
import { findPost } from "../../../src/adapters/github/write/find-post.ts";
import { githubReplies } from "../../../src/adapters/github/write/replies.ts";
import { githubReviews } from "../../../src/adapters/github/write/reviews.ts";
import { type KeepTurn, writePath } from "../../../src/adapters/github/write/write-path.ts";
import { OutOfReach, Transient } from "../../../src/domain/errors.ts";
import { SUMMARY_MARKER } from "../../../src/domain/review/marker.ts";
import { CommentRefused } from "../../../src/ports.ts";
import { storedInstallationPace, storedWrites } from "../../../src/store/reviews/writes.ts";
import { sqliteInMemory } from "../../store/databases.ts";

const REPO = { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" } as const;
const HEAD = "a".repeat(40);
const BOT = "kodiai[bot]";
const MESSAGES = new Map([[403, "Resource not accessible by integration"]]);

/**
 * A GitHub that answers one route with a status, and all others as if nothing had ever been
 * written.
 */
async function world(
  route: RegExp,
  status: number,
  headers: Record<string, string> = {},
  message = MESSAGES.get(status),
) {
  const asked: string[] = [];
  const sent: string[] = [];
  const fetch = (async (input: URL | string, init: { method?: string } = {}) => {
    const { pathname } = new URL(String(input));
    const request = `${init.method ?? "GET"} ${pathname}`;
    if (!request.startsWith("GET") && !request.endsWith("/access_tokens")) sent.push(request);
    const json = { "content-type": "application/json; charset=utf-8" };
    if (route.test(request)) {
      asked.push(request);
      return new Response(JSON.stringify({ message: message ?? "Error" }), {
        status,
        headers: { ...json, ...headers },
      });
    }
    return Response.json(usual(request), { headers: json });
  }) as unknown as GuardedFetch;
  const db = await sqliteInMemory();
  const limits = storedInstallationPace(db);
  const app = new Octokit({ baseUrl: "https://api.github.com", request: { fetch } });
  const clients = githubClients({ app, apiUrl: "https://api.github.com", fetch, now: Date.now, limits });
  const book = storedWrites(db, null, "k");
  const ports = async (keep: KeepTurn = () => Promise.resolve()) => {
    const github = await clients.forRepository(7, REPO);
    const path = writePath({
      installationId: 7,
      store: book,
      sign: () => "f".repeat(32),
      find: (wanted, marker) => findPost(github, BOT, wanted, marker),
      turn: (write) => write(keep),
      settledMs: 0,
      onLost: () => {},
    });
    return {
      reviews: githubReviews(github, BOT, path),
      replies: githubReplies(github, BOT, path),
      checks: githubChecks(() => clients.forChecks(7, REPO), path),
    };
  };
  return { asked, sent, ports, clients, limits, book };
}

function usual(request: string): unknown {
  if (request.endsWith("/access_tokens"))
    return { token: "ghs_x", expires_at: new Date(Date.now() + 3_600_000).toISOString(), repositories: [] };
  if (/GET .*\/pulls\/1$/.test(request))
    return { head: { sha: HEAD }, state: "open", locked: false, base: { repo: { id: REPO.id } } };
  return request.startsWith("GET") ? [] : { id: 5, html_url: "https://github.com/acme/shop/pull/1#x" };
}

type Ports = Awaited<ReturnType<Awaited<ReturnType<typeof world>>["ports"]>>;
const COMMENT = {
  path: "a.ts",
  side: "RIGHT",
  startLine: 1,
  line: 1,
  body: "x\n<!-- kodiai:finding fnd_1 -->",
} as const;
const ASKED = { place: "conversation", id: 3, rootId: null, at: "" } as const;

const PLACES: readonly (readonly [string, RegExp, (ports: Ports) => Promise<unknown>])[] = [
  ["the head", /GET .*\/pulls\/1$/, ({ reviews }) => reviews.head(REPO, 1)],
  ["comments on the diff", /GET .*\/pulls\/1\/comments$/, ({ reviews }) => reviews.postedFindings(REPO, 1, HEAD)],
  ["a review", /POST .*\/pulls\/1\/reviews$/, ({ reviews }) => reviews.postReview(REPO, 1, HEAD, "b", [COMMENT])],
  [
    "a file",
    /POST .*\/pulls\/1\/comments$/,
    ({ reviews }) => reviews.postFileComment(REPO, 1, HEAD, "a.ts", COMMENT.body),
  ],
  [
    "a summary",
    /POST .*\/issues\/1\/comments$/,
    ({ reviews }) => reviews.putSummary(REPO, 1, `s\n${SUMMARY_MARKER}`, HEAD),
  ],
  ["an answer", /POST .*\/issues\/1\/comments$/, ({ replies }) => replies.reply(REPO, 1, ASKED, "yes")],
  ["a check run", /POST .*\/check-runs$/, ({ checks }) => checks.begin(REPO, 1, HEAD, null)],
  [
    "the end of a check run",
    /PATCH .*\/check-runs\/5$/,
    ({ checks }) => checks.end(REPO, 5, { conclusion: "success", title: "t", summary: "s", text: "", annotations: [] }),
  ],
  ["a token", /access_tokens$/, async () => {}],
];

/**
 * What becomes of the job: `missing` ends it, `parked` waits for a person, `later` is tried again.
 */
type Outcome = "missing" | "parked" | "later" | "refused" | "bug" | "no answer";
const STATUSES: readonly (readonly [number, Outcome])[] = [
  [400, "bug"],
  [401, "parked"],
  [403, "parked"],
  [404, "missing"],
  [406, "bug"],
  [410, "missing"],
  [429, "later"],
  [451, "missing"],
  [500, "later"],
  [502, "later"],
  [503, "later"],
  [504, "later"],
];

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Transient) return "later";
  if (error instanceof OutOfReach) return error.why === "missing" ? "missing" : "parked";
  return error instanceof CommentRefused ? "refused" : error === null ? "no answer" : "bug";
}

const cells = PLACES.flatMap(([place, route, act]) =>
  STATUSES.map(([status, outcome]) => ({ place, status, outcome, route, act })),
);

test.each(cells)(
  "$status for $place: $outcome, after at most three requests [R9]",
  async ({ status, outcome, route, act }) => {
    const { asked, ports } = await world(route, status);
    const error = await ports()
      .then(act)
      .then(() => null)
      .catch((thrown: unknown) => thrown);
    expect(outcomeOf(error)).toBe(outcome);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(3);
  },
);

test.each([
  ["about a line", "Line could not be resolved", "refused"],
  ["about haste", "was submitted too quickly", "later"],
] as const)("422 %s for a review: %s, hence %s", async (_what, message, outcome) => {
  const { ports } = await world(/POST .*\/pulls\/1\/reviews$/, 422, {}, message);
  const { reviews } = await ports();
  const error = await reviews.postReview(REPO, 1, HEAD, "b", [COMMENT]).catch((thrown: unknown) => thrown);
  expect(outcomeOf(error)).toBe(outcome);
});

test("a suspended installation parks its jobs, and says so", async () => {
  const { ports } = await world(/access_tokens$/, 403, {}, "This installation has been suspended");
  await expect(ports()).rejects.toMatchObject({ name: "OutOfReach", why: "suspended" });
});

test("a write that lives elsewhere by now is not taken for one that arrived", async () => {
  const { asked, ports } = await world(/POST .*\/reviews$/, 301);
  const { reviews } = await ports();
  await expect(reviews.postReview(REPO, 1, HEAD, "b", [COMMENT])).rejects.toMatchObject({ why: "missing" });
  expect(asked).toHaveLength(1);
});

const AHEAD = String(Math.floor(Date.now() / 1000) + 1_800);
test.each([
  ["retry-after", 403, { "retry-after": "120" }, 121_000],
  ["nothing", 403, {}, 61_000],
  ["nonsense", 429, { "retry-after": "soon", "x-ratelimit-reset": "later" }, 61_000],
  ["a day", 429, { "retry-after": "86400" }, 3_600_000],
  ["a moment that is over", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000" }, 1_000],
  ["a moment by its own clock", 403, limit("1700000030", "Tue, 14 Nov 2023 22:13:20 GMT"), 31_000],
  ["half an hour by ours", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": AHEAD }, 1_801_000],
] as const)(
  "a limit that names %s is waited for, and nothing is asked inside of it",
  async (_name, status, headers, ms) => {
    const { asked, ports, limits } = await world(
      /GET .*\/pulls\/1$/,
      status,
      headers,
      "You have exceeded a secondary rate limit",
    );
    const { reviews } = await ports();
    const before = Date.now();
    const error = (await reviews.head(REPO, 1).catch((thrown: unknown) => thrown)) as Transient;
    // A slow machine comes later to a moment that was named before.
    expect((error.notBefore ?? 0) - before).toBeGreaterThan(ms - (ms === 1_801_000 ? 120_000 : 1));
    expect((error.notBefore ?? 0) - before).toBeLessThan(ms + 30_000);
    expect(await limits.closedFor(7)).toBeGreaterThan(ms - 120_000);
    // Not even by another port, and of no other installation.
    await expect(reviews.postedFindings(REPO, 1, HEAD)).rejects.toBeInstanceOf(Transient);
    await expect(reviews.head(REPO, 1)).rejects.toBeInstanceOf(Transient);
    expect(asked).toHaveLength(1);
    expect(await limits.closedFor(8)).toBe(0);
  },
);

test("a limit of searches closes searches only", async () => {
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": AHEAD, "x-ratelimit-resource": "search" };
  const { ports, limits } = await world(/GET .*\/pulls\/1$/, 403, headers);
  await expect((await ports()).reviews.head(REPO, 1)).rejects.toBeInstanceOf(Transient);
  expect(await limits.closedFor(7)).toBe(0);
});

test("a write whose turn passed to another process is not sent, and is sent once when its turn comes again", async () => {
  const { sent, ports } = await world(/nowhere/, 500);
  const put = ({ reviews }: Ports) => reviews.putSummary(REPO, 1, `s\n${SUMMARY_MARKER}`, HEAD);
  const lost = await ports(() => Promise.reject(new Transient("its turn ran out")));
  await expect(put(lost)).rejects.toBeInstanceOf(Transient);
  expect(sent).toEqual([]);
  await put(await ports());
  expect(sent).toEqual(["POST /repos/acme/shop/issues/1/comments"]);
});

test("a write that goes around the one path is not sent", async () => {
  const { asked, clients } = await world(/POST .*\/issues/, 201);
  const github = await (clients as Clients).forRepository(7, REPO);
  const where = { owner: "acme", repo: "shop", issue_number: 1, body: "hello" };
  await expect(github.rest.issues.createComment(where)).rejects.toThrow("around the one path");
  await expect(github.graphql(RESOLVE_THREAD, { thread: "PRRT_1" })).rejects.toThrow("around the one path");
  expect(asked).toEqual([]);
});

function limit(reset: string, date: string) {
  return { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, date };
}
