// Who may look, without a browser: sessions, where a form comes from, and a dashboard without a
// token.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { dashboard } from "../../src/dashboard/dashboard.ts";
import type { DashboardPorts } from "../../src/dashboard/dashboard-ports.ts";
import { isSameOrigin } from "../../src/dashboard/guard.ts";
import { sessions } from "../../src/dashboard/session.ts";

const TOKEN = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
const SECRETS = { token: TOKEN, clientSecret: "0123456789abcdef0123456789abcdef01234567" };
const HOUR = 3_600_000;

test("a session ends after twelve hours, with another token, and with any change of its cookie", () => {
  let now = Date.UTC(2026, 10, 22);
  let named = 0;
  const held = sessions(
    SECRETS,
    () => `session-${++named}`,
    () => now,
  );
  const cookie = held.open(TOKEN) ?? "";
  expect(held.session(cookie)?.who).toEqual({ kind: "operator" });
  expect(cookie).not.toContain(TOKEN);
  for (const other of [
    undefined,
    "",
    "a.b.c",
    `${cookie}x`,
    `${cookie}.`,
    `${cookie.slice(0, 30)}${cookie[30] === "A" ? "B" : "A"}${cookie.slice(31)}`,
    cookie.slice(0, -4),
    held.begin("/").cookie,
  ])
    expect(held.session(other)).toBeNull();
  expect(
    [
      { ...SECRETS, token: `${TOKEN}0` },
      { ...SECRETS, clientSecret: "another" },
    ].map((other) =>
      sessions(
        other,
        () => "x",
        () => now,
      ).session(cookie),
    ),
  ).toEqual([null, null]);
  const other = held.open(TOKEN) ?? "";
  expect(held.isOwnForm(cookie, held.formToken(cookie))).toBe(true);
  expect(held.isOwnForm(cookie, held.formToken(other))).toBe(false);
  expect(held.isOwnForm(cookie, undefined)).toBe(false);
  now += 12 * HOUR - 1;
  expect(held.session(cookie)?.who).toEqual({ kind: "operator" });
  now += 1;
  expect(held.session(cookie)).toBeNull();
});

test("a person's session names them, and no one can forge one of the operator, of a login in progress, or of another person", () => {
  let now = Date.UTC(2026, 10, 22);
  const held = sessions(
    SECRETS,
    () => "x",
    () => now,
  );
  const token = `ghu_${"0123456789abcdef".repeat(2)}`;
  const lena = held.openFor({ id: 7, login: "lena", token, lastsMs: 8 * HOUR });
  expect(held.session(lena)).toEqual({
    who: { kind: "person", id: 7, login: "lena", token },
    name: "x",
    until: now + 8 * HOUR,
  });
  // Whoever reads the cookie learns no token from it.
  expect(Buffer.from(lena, "base64url").toString("latin1")).not.toMatch(/ghu_|lena/);
  const mona = JSON.stringify({ who: { kind: "person", id: 8, login: "mona", token }, name: "x", until: now + HOUR });
  for (const other of [
    Buffer.from(mona).toString("base64url"),
    mona,
    held.begin("/").cookie,
    `${held.open(TOKEN)}${Buffer.from(mona).toString("base64url")}`,
    `${lena.slice(0, 60)}${(held.open(TOKEN) ?? "").slice(60)}`,
  ])
    expect(held.session(other)).toBeNull();
  expect(held.session(held.openFor({ id: 7, login: "lena", token, lastsMs: 99 * HOUR }))?.until).toBe(now + 12 * HOUR);
  now += 8 * HOUR;
  expect(held.session(lena)).toBeNull();
});

test("a login that is under way comes back to the browser that began it, with its state, within ten minutes", () => {
  let now = Date.UTC(2026, 10, 22);
  let named = 0;
  const held = sessions(
    SECRETS,
    () => `state-${++named}`,
    () => now,
  );
  const { cookie, state, challenge } = held.begin("/reviews?page=2");
  const back = held.comesBack(cookie, state);
  expect(back?.next).toBe("/reviews?page=2");
  expect(back?.verifier).toMatch(/^[\w-]{43}$/);
  expect(
    createHash("sha256")
      .update(back?.verifier ?? "")
      .digest("base64url"),
  ).toBe(challenge);
  expect(cookie).not.toContain(back?.verifier);
  const other = held.begin("/");
  for (const [with_, said] of [
    [cookie, other.state],
    [other.cookie, state],
    [cookie, undefined],
    [undefined, state],
    [held.open(TOKEN) ?? "", state],
    [cookie.replace(/.$/, "!"), state],
    [held.openFor({ id: 7, login: "lena", token: "ghu_x", lastsMs: HOUR }), state],
  ] as const)
    expect(held.comesBack(with_, said)).toBeNull();
  now += 10 * 60_000;
  expect(held.comesBack(cookie, state)).toBeNull();
});

test("after ten wrong tokens in a minute others must wait, and the right one is still accepted", () => {
  let now = Date.UTC(2026, 10, 22);
  const held = sessions(
    SECRETS,
    () => "x",
    () => now,
  );
  for (let tries = 0; tries < 10; tries++) expect(held.open("wrong")).toBeNull();
  for (const wrong of ["wrong", "", TOKEN.slice(1), `${TOKEN}0`]) expect(held.open(wrong)).toBe("later");
  expect(held.session(held.open(TOKEN) ?? "")?.name).toBe("x");
  expect(held.open("wrong")).toBe("later");
  now += 60_000;
  expect(held.open("wrong")).toBeNull();
});

test("a form counts when the browser confirms that it comes from this address, and not without that", () => {
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
  const answer = dashboard({ token: null, clientSecret: null, github: null }, untouched);
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
