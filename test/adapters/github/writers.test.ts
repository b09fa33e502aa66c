// Where a visitor may write, asked with their own token: for how long an answer counts, and what
// GitHub's silence means.
import { afterAll, beforeAll, expect, test } from "vitest";
import { guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { quietOctokit } from "../../../src/adapters/github/quiet-octokit.ts";
import { githubWriters } from "../../../src/adapters/github/read/login.ts";
import { Transient } from "../../../src/domain/errors.ts";
import type { Repository } from "../../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../../fakes/github/github.ts";

const MINUTE = 60_000;
let world: GitHubWorld;
let shop: Repository;
let mill: Repository;
let now = Date.UTC(2026, 10, 22);

beforeAll(async () => {
  world = await startGitHub({ owners: ["acme", "globex"] });
  shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" }, private: true });
  mill = await world.repository("globex", "mill", { files: { "README.md": "# Mill\n" } });
});
afterAll(() => {
  expect(world?.violations).toEqual([]);
  return world?.close();
});

function writers() {
  const api = { apiUrl: world.apiUrl, apiFetch: guardedFetch({ origins: [world.apiUrl] }) };
  const clientOf = (token: string) => quietOctokit(api.apiUrl, api.apiFetch, { auth: token });
  const { writable } = githubWriters(clientOf, "github.com", () => now);
  return async (login: string, isFresh = false) => {
    const { id } = world.person(login);
    const keys = await writable({ id, login, token: world.personalToken(login) }, isFresh);
    return keys && [...keys];
  };
}
const keyOf = ({ id }: Repository) => `github.com/${id}`;
const requests = () => world.requests.length;

test("it takes one request and one for each installation, and an answer counts for five minutes", async () => {
  world.person("lena", { permission: "none", inRepository: { "acme/shop": "write", "globex/mill": "read" } });
  const may = writers();
  const before = requests();
  expect(await may("lena")).toEqual([keyOf(shop)]);
  expect(requests() - before).toBe(3);
  world.person("lena", { inRepository: { "acme/shop": "read", "globex/mill": "maintain" } });
  now += 5 * MINUTE - 1;
  expect(await may("lena")).toEqual([keyOf(shop)]);
  expect(requests() - before).toBe(3);
  expect(await may("lena", true)).toEqual([keyOf(mill)]);
  now += 5 * MINUTE;
  world.person("lena", { inRepository: { "acme/shop": "admin" } });
  expect(await may("lena")).toEqual([keyOf(shop)]);
});

test("a visitor who may write nowhere asks nothing more of GitHub for five minutes, also where they log in again", async () => {
  world.person("rita", { permission: "read" });
  const may = writers();
  expect(await may("rita", true)).toEqual([]);
  const before = requests();
  for (let tries = 0; tries < 20; tries += 1) expect(await may("rita", true)).toEqual([]);
  expect(requests()).toBe(before);
  world.person("rita", { permission: "write" });
  now += 5 * MINUTE;
  expect(await may("rita", true)).toEqual([keyOf(shop), keyOf(mill)]);
});

test("a repository that was taken from the App is out of reach, under its new name it is theirs", async () => {
  world.person("otto", { permission: "none", inRepository: { "acme/shop": "maintain", "acme/store": "maintain" } });
  const may = writers();
  expect(await may("otto")).toEqual([keyOf(shop)]);
  await world.renameRepository(shop, "store");
  expect(await may("otto", true)).toEqual([keyOf(shop)]);
  await world.reach(shop, false);
  expect(await may("otto", true)).toEqual([]);
  await world.reach(shop, true);
});

test("an installation that GitHub denies leaves the others, and what it does not answer is neither yes nor no", async () => {
  world.person("mona", { permission: "write" });
  const may = writers();
  const body = {
    message: "Although you appear to have the correct authorization, the organization has an IP allow list.",
  };
  world.fail({ match: { path: /^\/user\/installations\/\d+\/repositories/ }, status: 403, body });
  expect(await may("mona", true)).toHaveLength(1);
  for (const path of ["/user/installations", /^\/user\/installations\/\d+\/repositories/]) {
    world.fail({ match: { path }, status: 503 });
    await expect(may("mona", true)).rejects.toThrow(Transient);
  }
  // The next question asks again.
  expect(await may("mona", true)).toHaveLength(2);
});

test("a token that GitHub does not take any more is no answer", async () => {
  const mona = world.person("mona", { permission: "admin" });
  const may = writers();
  expect(await may("mona")).toHaveLength(2);
  world.fail({ match: { path: "/user/installations" }, status: 401, body: { message: "Bad credentials" } });
  expect(await may("mona", true)).toBeNull();
  // The name is another account's by now.
  const token = world.personalToken("mona");
  world.person("mona", { id: mona.id + 1 });
  const api = { apiUrl: world.apiUrl, apiFetch: guardedFetch({ origins: [world.apiUrl] }) };
  const clientOf = () => quietOctokit(api.apiUrl, api.apiFetch, { auth: token });
  const { writable } = githubWriters(clientOf, "github.com", () => now);
  expect(await writable({ ...mona, token }, true)).toBeNull();
});
