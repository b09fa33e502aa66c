// kodiai setup against a GitHub of our own; the browser is played.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { readManifest } from "../fakes/github/manifest.ts";
import { verb } from "./kodiai.ts";
import { browse, startSetup } from "./setup-process.ts";

const HOOK = "https://kodiai.example.com/api/github/webhooks";

let world: GitHubWorld;
let folder: string;
beforeEach(async () => {
  world = await startGitHub();
  folder = mkdtempSync(join(tmpdir(), "kodiai-setup-"));
  return async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
// What the emulator leaves out of installations and tokens is its own, and known.
const ours = (said: readonly string[]) => said.filter((line) => /app-manifests|hook\/config/.test(line));
afterEach(() => expect([world.violations, ours(world.unfaithful)]).toEqual([[], []]));

const env = () => ({ KODIAI_GITHUB_API_URL: world.apiUrl });
const run = (...words: string[]) => verb(["setup", "--yes", ...words], { cwd: folder, env: env() });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const variables = () => parseEnv(readFileSync(join(folder, ".env"), "utf8"));

test("an App is made through one page on loopback; its secrets are kept for the owner alone and shown nowhere", async () => {
  const { repository } = world;
  await repository("acme", "shop", { files: { "README.md": "# Shop\n" }, private: true });
  const setup = await startSetup(["--webhook-url", HOOK, "--org", "acme", "--name", "Kodiai of Acme"], folder, env());
  const { action, manifest, policy, send } = await browse(setup.url);
  expect(action).toMatch(/^https:\/\/github\.com\/organizations\/acme\/settings\/apps\/new\?state=[\w-]{20,}$/);
  expect(policy).toContain("form-action https://github.com;");
  const asked = readManifest();
  expect(manifest).toMatchObject({
    ...{ name: "Kodiai of Acme", public: false, hook_attributes: { url: HOOK, active: true } },
    ...{ default_permissions: asked.permissions, default_events: asked.events },
  });
  expect((await fetch(setup.url.replace(/token=.*/, "token=guessed"))).status).toBe(404);
  expect((await send(world.confirmManifest(manifest), "another-state")).status).toBe(404);
  expect((await send(world.confirmManifest(manifest))).status).toBe(200);
  const { code, out, err } = await setup.ended;

  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { privateKey, webhookSecret } = world.appCredentials;
  const set = variables();
  expect(set).toMatchObject({ APP_ID: "4242", WEBHOOK_SECRET: webhookSecret, KODIAI_DATA_DIR: "./data" });
  expect(readFileSync(join(folder, set.PRIVATE_KEY_PATH ?? ""), "utf8").trim()).toBe(privateKey.trim());
  expect([
    modeOf(join(folder, ".env")),
    modeOf(join(folder, "data/kodiai.private-key.pem")),
    modeOf(join(folder, "data")),
  ]).toEqual([...["600", "600", "700"]]);
  expect(manifest.callback_urls).toEqual(["http://127.0.0.1:3001/login/github/callback"]);
  const { clientId, clientSecret } = world.desk;
  expect(set).toMatchObject({ GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret });
  expect(out).toMatch(/dashboard +http:\/\/127\.0\.0\.1:3001 once the server runs: log in with GitHub/);
  for (const secret of [webhookSecret, privateKey.split("\n")[1] ?? "?", clientSecret])
    expect(out).not.toContain(secret);
  expect(out).toMatch(/permissions +permissions and events match app\.yml/);
  expect(out).toMatch(
    /webhook +GitHub delivers to https:\/\/kodiai\.example\.com\/api\/github\/webhooks; nothing was delivered yet/,
  );
  expect(out).toMatch(/installations +on acme/);
  expect(out).toMatch(/\d+ checks passed; --all lists them/);
});

test("a request that is no address is answered with 404, and setup goes on", async () => {
  const setup = await startSetup(["--webhook-url", HOOK], folder, env());
  const { port } = new URL(setup.url);
  // fetch() would refuse to send these.
  const statusOf = (path: string) =>
    new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path }, (response) => resolve(response.resume().statusCode)).on("error", reject);
    });
  for (const path of ["//[", "//[::", "http://[", "//:99999"])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  const { manifest, send } = await browse(setup.url);
  expect((await send(world.confirmManifest(manifest))).status).toBe(200);
  expect((await setup.ended).code).toBe(0);
});

test("a signed-out person first sees that, returns to the page after GitHub's login, and creates the App", async () => {
  const setup = await startSetup(["--webhook-url", HOOK], folder, env());
  const { html } = await browse(setup.url);
  const first = html.indexOf('First sign in to <a href="https://github.com/login"');
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(html.indexOf("<form"));
  // GitHub's login leads to an empty form: what was posted is lost, and the person opens the page
  // again.
  const again = await browse(setup.url);
  expect((await again.send(world.confirmManifest(again.manifest))).status).toBe(200);
  const after = await fetch(setup.url).catch(() => null);
  expect([null, 410]).toContain(after === null ? null : after.status);
  expect(await setup.ended).toMatchObject({ code: 0, err: "" });
  expect(variables()).toMatchObject({ APP_ID: "4242" });
});

test("an App that is there is taken without a question, its webhook and secret are set, and a second run changes nothing", async () => {
  const key = join(folder, "downloaded.pem");
  writeFileSync(key, world.appCredentials.privateKey);
  writeFileSync(join(folder, ".env"), "# Ours\nLOG_LEVEL=debug\n# APP_ID=1\n");
  const words = ["--app-id", "4242", "--private-key-file", key, "--webhook-url", HOOK];
  const first = await run(...words);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(world.hookConfiguration()).toMatchObject({ url: HOOK });
  const kept = readFileSync(join(folder, ".env"), "utf8");
  expect(kept).toMatch(/^# Ours\nLOG_LEVEL=debug\n# APP_ID=1\nAPP_ID=4242\n/);
  expect(variables().WEBHOOK_SECRET).toMatch(/^[0-9a-f]{64}$/);
  expect(first.out).not.toContain(variables().WEBHOOK_SECRET);
  const sets = () =>
    world.requests.filter(({ method }) => method === "PATCH").map(({ body }) => Object.keys(body as object));
  expect(sets()).toEqual([
    ["secret", "content_type", "insecure_ssl"],
    ["url", "content_type", "insecure_ssl"],
  ]);
  expect((await run()).code).toBe(0);
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe(kept);
  expect(sets()).toHaveLength(2);
});

test("an App without checks asks for none, receives none, and misses nothing", async () => {
  await world.close();
  const { events, permissions } = readManifest();
  const { checks: _, merge_queues: __, ...rest } = permissions;
  const fewer = events.filter((event) => event !== "check_run" && event !== "merge_group");
  world = await startGitHub({ manifest: { ...readManifest(), permissions: rest, events: fewer } });
  const setup = await startSetup(["--webhook-url", HOOK, "--without-checks"], folder, env());
  const { manifest, send } = await browse(setup.url);
  expect(manifest).toMatchObject({ default_permissions: rest, default_events: fewer });
  expect((await send(world.confirmManifest(manifest))).status).toBe(200);
  const { out } = await setup.ended;
  expect(out).toMatch(/permissions +permissions and events match app\.yml/);
});

test("an App without checks that reads code scanning may read checks only, and hears of scans but of no merge queue", async () => {
  await world.close();
  const { events, permissions } = readManifest();
  const { checks: _, merge_queues: __, ...rest } = permissions;
  const wanted = { ...rest, checks: "read", security_events: "read" } as const;
  const heard = events.filter((event) => event !== "merge_group");
  world = await startGitHub({ manifest: { ...readManifest(), permissions: wanted, events: heard } });
  const setup = await startSetup(["--webhook-url", HOOK, "--code-scanning", "--without-checks"], folder, env());
  const { manifest, send } = await browse(setup.url);
  const { default_permissions: asked, default_events: listens } = manifest as Record<string, unknown>;
  expect(asked).toEqual(wanted);
  expect([...(listens as string[])].toSorted()).toEqual(heard.toSorted());
  expect((await send(world.confirmManifest(manifest))).status).toBe(200);
  expect((await setup.ended).out).toMatch(/permissions +permissions and events match app\.yml/);
});

test("rights that the App lacks are named with the page where they are added, and set-up does not end well", async () => {
  await world.close();
  const manifest = readManifest();
  const { checks: _, ...permissions } = manifest.permissions;
  world = await startGitHub({
    manifest: { ...manifest, permissions, events: manifest.events.filter((one) => one !== "push") },
  });
  const key = join(folder, "downloaded.pem");
  writeFileSync(key, world.appCredentials.privateKey);
  const { code, out } = await run("--app-id", "4242", "--private-key-file", key);
  expect(code).toBe(3);
  expect(out).toMatch(
    /permissions +missing: checks: write, event push\. Add them at https:\/\/github\.com\/settings\/apps\/kodiai\/permissions/,
  );
});

test("wrong words are refused before anything is asked or written", async () => {
  const refusals = await Promise.all([
    run("--host", "https://ghe"),
    run("--webhook-url", "http://kodiai.example.com/hooks"),
    run("--webhook-url", "https://kodiai.example.com/hooks"),
    run("--webhook-url", "https://127.0.0.1:3000/api/github/webhooks"),
    run(),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
  expect(refusals.map(({ err }) => err)).toEqual([
    expect.stringContaining("--host takes a host name"),
    expect.stringContaining("--webhook-url must begin with https://"),
    expect.stringContaining("the path that the server serves: https://kodiai.example.com/api/github/webhooks"),
    expect.stringContaining("must be an address that GitHub can reach, not 127.0.0.1"),
    expect.stringContaining("needs --webhook-url"),
  ]);
  expect(world.requests).toEqual([]);
});
