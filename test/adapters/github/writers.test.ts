// Who may write where, as the App asks it: for how long an answer counts, and what GitHub's silence means.
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { githubClients } from "../../../src/adapters/github/clients.ts";
import { guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { githubWriters } from "../../../src/adapters/github/writers.ts";
import { Transient } from "../../../src/domain/transient.ts";
import type { Repository } from "../../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../../fakes/github/github.ts";

const MINUTE = 60_000;
let world: GitHubWorld;
let shop: Repository;
let now = Date.UTC(2026, 10, 22);

beforeAll(async () => {
  world = await startGitHub({ owners: ["acme", "globex"] });
  shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" }, private: true });
  await world.repository("globex", "mill", { files: { "README.md": "# Mill\n" } });
}, 60_000);
afterAll(() => world?.close());

function writers() {
  const fetch = guardedFetch({ origins: [world.apiUrl] });
  const auth = { appId: world.appCredentials.appId, privateKey: world.appCredentials.privateKey };
  const app = new Octokit({ authStrategy: createAppAuth, auth, baseUrl: world.apiUrl, request: { fetch } });
  const limits = { closedFor: async () => 0, close: async () => {} };
  const clients = githubClients({ app, apiUrl: world.apiUrl, fetch, now: Date.now, limits });
  return githubWriters({ app, clients, host: "github.com", now: () => now });
}
const asked = () => world.requests.filter(({ path }) => path.includes("/collaborators/")).length;

test("an answer counts for five minutes and no longer, and whoever asks anew is told at once", async () => {
  const lena = world.person("lena", { permission: "write" });
  const { writable } = writers();
  const key = `github.com/${shop.id}`;
  const may = async (isFresh = false) => [...(await writable(lena, [key, "github.com/1", "local/2"], isFresh))];
  expect(await may()).toEqual([key]);
  const before = asked();
  world.person("lena", { permission: "read" });
  now += 5 * MINUTE - 1;
  expect([await may(), asked()]).toEqual([[key], before]);
  expect([await may(true), asked()]).toEqual([[], before + 1]);
  world.person("lena", { permission: "admin" });
  expect(await may()).toEqual([]);
  now += 5 * MINUTE;
  expect(await may()).toEqual([key]);
});

test("a repository that was taken from the App is nobody's within five minutes, under its new name it is theirs", async () => {
  const otto = world.person("otto", { permission: "maintain" });
  const { writable } = writers();
  const key = `github.com/${shop.id}`;
  expect([...(await writable(otto, [key], false))]).toEqual([key]);
  await world.renameRepository(shop, "store");
  now += 5 * MINUTE;
  expect([...(await writable(otto, [key], false))]).toEqual([key]);
  await world.reach(shop, false);
  now += 5 * MINUTE;
  expect([...(await writable(otto, [key], false))]).toEqual([]);
  await world.reach(shop, true);
});

test("what GitHub denies is no, and what it does not answer is neither yes nor no", async () => {
  const mona = world.person("mona", { permission: "write" });
  const { writable } = writers();
  const key = `github.com/${shop.id}`;
  now += 5 * MINUTE;
  const body = { message: "Resource not accessible by integration" };
  world.fail({ match: { path: /collaborators/ }, status: 403, body });
  expect([...(await writable(mona, [key], false))]).toEqual([]);
  world.fail({ match: { path: /collaborators/ }, status: 503 });
  await expect(writable(mona, [key], true)).rejects.toThrow(Transient);
  now += 5 * MINUTE;
  world.fail({ match: { path: "/app/installations" }, status: 502 });
  await expect(writable(mona, [key], false)).rejects.toThrow(Transient);
  // The next question asks again.
  expect([...(await writable(mona, [key], false))]).toEqual([key]);
});

test("another person of the same name is not the one who logged in", async () => {
  const mona = world.person("mona", { permission: "admin" });
  const { writable } = writers();
  const keys = [`github.com/${shop.id}`];
  expect([...(await writable({ id: mona.id + 1, login: "mona" }, keys, false))]).toEqual([]);
  expect([...(await writable(mona, keys, false))]).toEqual(keys);
});
