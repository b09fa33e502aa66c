// Who may look, without a browser: sessions, where a form comes from, a dashboard without a token, and what is shown of settings.
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { setValues } from "../../src/config/set-values.ts";
import { shownVariables } from "../../src/config/shown-variables.ts";
import { dashboard } from "../../src/dashboard/dashboard.ts";
import type { DashboardPorts } from "../../src/dashboard/dashboard-ports.ts";
import { isSameOrigin } from "../../src/dashboard/same-origin.ts";
import { sessions } from "../../src/dashboard/session.ts";

const TOKEN = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
const HOUR = 3_600_000;

test("a session ends after twelve hours, with another token, and with any change of its cookie", () => {
  let now = Date.UTC(2026, 10, 22);
  let named = 0;
  const held = sessions(
    TOKEN,
    () => `session-${++named}`,
    () => now,
  );
  const cookie = held.open(TOKEN) ?? "";
  expect(held.holds(cookie)).toBe(true);
  expect(cookie).not.toContain(TOKEN);
  for (const other of [
    undefined,
    "",
    "a.b.c",
    `${cookie}x`,
    cookie.replace(/^\d/, "9"),
    cookie.split(".").slice(0, 2).join("."),
  ])
    expect(held.holds(other)).toBe(false);
  expect(
    sessions(
      `${TOKEN}0`,
      () => "x",
      () => now,
    ).holds(cookie),
  ).toBe(false);
  const other = held.open(TOKEN) ?? "";
  expect(held.isOwnForm(cookie, held.formToken(cookie))).toBe(true);
  expect(held.isOwnForm(cookie, held.formToken(other))).toBe(false);
  expect(held.isOwnForm(cookie, undefined)).toBe(false);
  now += 12 * HOUR - 1;
  expect(held.holds(cookie)).toBe(true);
  now += 1;
  expect(held.holds(cookie)).toBe(false);
});

test("after ten wrong tokens in a minute nobody may try, not even with the right one, until the minute is over", () => {
  let now = Date.UTC(2026, 10, 22);
  const held = sessions(
    TOKEN,
    () => "x",
    () => now,
  );
  for (let tries = 0; tries < 10; tries++) expect(held.open("wrong")).toBeNull();
  expect(held.open(TOKEN)).toBe("later");
  now += 60_000;
  expect(held.open(TOKEN)).toMatch(/^\d+\.x\./);
});

test("a form counts when the browser says that it comes from this address, and when nobody says so it does not", () => {
  const host = "127.0.0.1:3001";
  const cases: readonly (readonly [Parameters<typeof isSameOrigin>[0], boolean])[] = [
    [{ origin: "http://127.0.0.1:3001", site: "same-origin", host }, true],
    [{ origin: undefined, site: "same-origin", host }, true],
    [{ origin: "https://127.0.0.1:3001", site: undefined, host }, true],
    [{ origin: undefined, site: undefined, host }, false],
    [{ origin: "null", site: undefined, host }, false],
    [{ origin: "http://127.0.0.1:3001", site: "same-site", host }, false],
    [{ origin: "http://127.0.0.1:3001", site: "none", host }, false],
    [{ origin: "http://127.0.0.1:3001.evil.example", site: "same-origin", host }, false],
    [{ origin: "http://127.0.0.1:3001", site: "same-origin", host: undefined }, false],
  ];
  for (const [sent, expected] of cases) expect([sent, isSameOrigin(sent)]).toEqual([sent, expected]);
});

test("without a token pages say how to open the dashboard, nothing else is answered, and no port is asked for anything", async () => {
  const untouched = new Proxy({ version: "1.2.3" } as DashboardPorts, {
    get(target, name) {
      if (name !== "version") throw new Error(`asked for ${String(name)}`);
      return target.version;
    },
  });
  const answer = dashboard(null, untouched);
  for (const path of ["/", "/login", "/reviews", "/memories?q=token", "/repositories/github.com/42", "/jobs"]) {
    const response = await answer(new Request(`http://127.0.0.1:3001${path}`));
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("KODIAI_DASHBOARD_TOKEN");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  for (const path of ["/login", "/jobs/1/retry", "/memories/github.com/42/mem_0123456789ab/forget"])
    expect((await answer(new Request(`http://127.0.0.1:3001${path}`, { method: "POST" }))).status).toBe(404);
  expect((await answer(new Request("http://127.0.0.1:3001/assets/style.css"))).status).toBe(200);
  expect((await answer(new Request("http://127.0.0.1:3001/assets/..%2fdashboard.ts"))).status).toBe(404);
});

test("of the environment secrets are told as set and never shown, and each variable says where it comes from", () => {
  const env = {
    APP_ID: "42",
    WEBHOOK_SECRET: TOKEN,
    KODIAI_WORKERS: "4",
    HTTPS_PROXY: "http://me:secret@proxy.example.com:3128",
  };
  const shown = new Map(shownVariables(env, new Set(["APP_ID", "WEBHOOK_SECRET"])).map((one) => [one.name, one]));
  expect(shown.get("APP_ID")).toEqual({ name: "APP_ID", value: "42", origin: "environment" });
  expect(shown.get("KODIAI_WORKERS")).toEqual({ name: "KODIAI_WORKERS", value: "4", origin: ".env" });
  expect(shown.get("PORT")).toEqual({ name: "PORT", value: "3000", origin: "default" });
  expect(shown.get("WEBHOOK_SECRET")).toEqual({ name: "WEBHOOK_SECRET", value: null, origin: "environment" });
  expect(shown.get("VOYAGE_API_KEY")).toEqual({ name: "VOYAGE_API_KEY", value: null, origin: "not set" });
  const told = JSON.stringify([...shown.values()]);
  expect(told).not.toContain(TOKEN);
  expect(told).not.toContain("me:secret");
});

test("of a configuration the values that a file set are kept, with the file that set them", () => {
  const text = 'review:\n  maxComments: 8\nrules:\n  hidden-text: "off"\n';
  const owner = "pathFilters:\n  - '!dist/**'\n";
  const parsed = parseConfig([
    { file: "acme/.github/.kodiai.yml", text: owner },
    { file: ".kodiai.yml", text },
  ]);
  expect(setValues(parsed)).toEqual([
    { key: "review.maxComments", value: "8", origin: ".kodiai.yml" },
    { key: "pathFilters", value: '["!dist/**"]', origin: "acme/.github/.kodiai.yml" },
    { key: "rules.hidden-text", value: '"off"', origin: ".kodiai.yml" },
  ]);
  expect(
    setValues(parseConfig([{ file: ".kodiai.yml", text: `review:\n  language: ${"x".repeat(30)}\n` }])),
  ).toHaveLength(1);
});
