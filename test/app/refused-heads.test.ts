// A permission that is missing for a while, or a key that is not taken, costs no review: refused
// heads stay owed.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type RefusalName, refused } from "../fakes/github/refusals.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BALANCE, said } from "./change-builders.ts";

const SWEEP_MS = 100;
const HOUR_MS = 60 * 60_000;

let harness: Harness;
let shop: Repository;
beforeEach(async () => {
  harness = await openHarness({ app: { missed: { everyMs: SWEEP_MS } } });
  shop = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  await sweeps(2);
});
afterEach(() => harness.close());

/** So many looks at the open pull requests. */
async function sweeps(count: number): Promise<void> {
  const looks = () => harness.world.requests.filter(({ path }) => path === "/repos/acme/shop/pulls").length;
  const wanted = looks() + count;
  await until("the sweep looks", () => looks() >= wanted);
}

/** A token that is not taken is made once more. */
async function refusedPull(refusal: RefusalName = "not accessible"): Promise<Pull> {
  const times = refusal === "bad credentials" ? 2 : 1;
  harness.world.fail(refused(refusal, { match: { method: "GET", path: /\/pulls\/\d+$/ }, times }));
  const pull = await harness.world.pullRequest(shop, { title: "Balance", files: { "src/balance.py": BALANCE } });
  expect(await harness.settled(pull)).toMatchObject({ state: "parked" });
  return pull;
}

async function refusedInstallations(): Promise<string> {
  const text = await (await fetch(`${harness.adminUrl()}/metrics`)).text();
  return /^kodiai_refused_installations (\d+)$/m.exec(text)?.[1] ?? "none";
}

test("a review that GitHub refuses with 403 is tried again an hour later, not sooner, and is reported until then", async () => {
  const pull = await refusedPull("not accessible");
  await sweeps(3);
  expect(harness.jobs(pull)).toHaveLength(1);
  expect(await refusedInstallations()).toBe("1");
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.prepare("UPDATE jobs SET finished_at = finished_at - ? WHERE state = 'parked'").run(HOUR_MS);
  db.close();
  await until("it is tried again", () => harness.jobs(pull).length === 2);
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(harness.world, pull)).toHaveLength(1);
  expect(await refusedInstallations()).toBe("0");
});

async function permissionsAreAccepted(): Promise<void> {
  const installation = { id: harness.world.installations.get("acme"), account: { login: "acme", id: 1 } };
  await harness.world.deliver("installation", {
    action: "new_permissions_accepted",
    installation,
    sender: { login: "mona", id: 2 },
  });
}

test("permissions that are accepted have refused reviews tried again at once", async () => {
  const pull = await refusedPull();
  await sweeps(3);
  expect(harness.jobs(pull)).toHaveLength(1);
  await permissionsAreAccepted();
  await until("it is tried again", () => harness.jobs(pull).length === 2);
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("a review that began before the permissions were accepted, and is refused after, is tried again at once", async () => {
  await harness.restart({ missed: { everyMs: HOUR_MS } });
  await sweeps(1);
  const posting = { method: "POST", path: /\/pulls\/\d+\/reviews$/ };
  harness.world.fail(refused("not accessible", { match: posting, times: 1, delay: 1_000 }));
  const pull = await harness.world.pullRequest(shop, { title: "Balance", files: { "src/balance.py": BALANCE } });
  const isPosting = () => harness.world.requests.some(({ path }) => posting.path.test(path));
  await until("the review is being posted", isPosting);
  await permissionsAreAccepted();
  await until("it is tried again", () => harness.jobs(pull).length === 2);
  expect(harness.jobs(pull)[0]).toMatchObject({ state: "parked" });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(harness.world, pull)).toHaveLength(1);
});
