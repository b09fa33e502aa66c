// Tokens: each for one repository and the rights that its work needs, and none that is about to end
// is worked with.
import { Octokit } from "@octokit/rest";
import { expect, test } from "vitest";
import { githubClients } from "../../../src/adapters/github/clients.ts";
import type { GuardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { REPO } from "../../fakes/pull-requests.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A GitHub whose tokens hold for an hour of `clock`, and are refused afterwards. */
function world() {
  const clock = { now: Date.parse("2026-01-02T03:00:00Z") };
  const minted: Record<string, unknown>[] = [];
  const ends = new Map<string, number>();
  const used: string[] = [];
  const json = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json; charset=utf-8" } });
  const fetch = (async (input: string, init?: RequestInit) => {
    if (String(input).endsWith("/access_tokens")) {
      minted.push(JSON.parse(String(init?.body)));
      const token = `ghs_${minted.length}`;
      ends.set(token, clock.now + HOUR);
      const repositories = [{ id: REPO.id, full_name: "acme/shop" }];
      return json(201, { token, expires_at: new Date(clock.now + HOUR).toISOString(), repositories });
    }
    const token = (new Headers(init?.headers).get("authorization") ?? "").replace("bearer ", "");
    used.push(token);
    return (ends.get(token) ?? 0) > clock.now ? json(200, {}) : json(401, { message: "Bad credentials" });
  }) as unknown as GuardedFetch;
  const app = new Octokit({ baseUrl: "https://api.github.com", request: { fetch } });
  const limits = { closedFor: async () => 0, close: async () => {} };
  const clients = githubClients({ app, apiUrl: "https://api.github.com", fetch, now: () => clock.now, limits });
  return { clients, clock, minted, used };
}

test("for any wish, a token is for one repository, reads code at most, and writes only what it is for [T29]", async () => {
  const { clients, minted } = world();
  await clients.forRepository(7, REPO);
  await clients.forChecks(7, REPO);
  await clients.forReading(7, REPO);
  await clients.forReading(7, REPO, "pull requests");
  await clients.forOwnersRepository(7, REPO, ".github");
  await clients.forNames(7);
  const one = { repository_ids: [REPO.id] };
  expect(minted).toEqual([
    { ...one, permissions: { contents: "read", metadata: "read", pull_requests: "write" } },
    { ...one, permissions: { checks: "write", metadata: "read" } },
    { ...one, permissions: { contents: "read", metadata: "read" } },
    { ...one, permissions: { metadata: "read", pull_requests: "read" } },
    { repositories: [".github"], permissions: { contents: "read", metadata: "read" } },
    // Lists names, and reads nothing in any of them.
    { permissions: { metadata: "read" } },
  ]);
});

test("a token is used again by jobs that end before it, and one that ends within fifteen minutes is not [T29]", async () => {
  const { clients, clock, minted } = world();
  await clients.forRepository(7, REPO);
  clock.now += 44 * MINUTE;
  await clients.forRepository(7, REPO);
  expect(minted).toHaveLength(1);
  clock.now += 2 * MINUTE;
  await clients.forRepository(7, REPO);
  expect(minted).toHaveLength(2);
});

test("a job that takes longer than its token goes on with another one [T29]", async () => {
  const { clients, clock, minted, used } = world();
  const github = await clients.forRepository(7, REPO);
  const look = () => github.rest.repos.get({ owner: REPO.owner, repo: REPO.name });
  await look();
  clock.now += 61 * MINUTE;
  expect((await look()).status).toBe(200);
  clock.now += 61 * MINUTE;
  expect((await look()).status).toBe(200);
  expect(used).toEqual(["ghs_1", "ghs_1", "ghs_2", "ghs_2", "ghs_3"]);
  expect(new Set(minted.map((body) => JSON.stringify(body))).size).toBe(1);
});

test("no request is sent for a repository whose name was forgotten", async () => {
  const { clients, used, minted } = world();
  expect(await clients.installationOf({ ...REPO, owner: "", name: "" })).toBeNull();
  expect([used, minted]).toEqual([[], []]);
});
