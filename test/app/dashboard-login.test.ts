// Logging in to the dashboard with GitHub, as a browser does it: GitHub's page and back; who gets
// in, what they see and may do.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";

const TOKEN = "a-token-for-the-dashboard-0123456789";
const CODE = {
  "a.py":
    "import subprocess\nimport requests\n\ndef run(name):\n    requests.get(name)\n    subprocess.run(f'tar {name}', shell=True)\n",
};

const CALL = "import subprocess\n\ndef run(name):\n    subprocess.run(f'tar {name}', shell=True)\n";

let harness: Harness;
let origin: string;
const key = { shop: "", ledger: "" };
const head = { shop: "", ledger: "" };

beforeAll(async () => {
  origin = `http://127.0.0.1:${await freePort()}`;
  const admin = { host: "127.0.0.1", port: Number(new URL(origin).port) };
  const client = { clientId: "Iv1.0123456789abcdef", clientSecret: "0123456789abcdef0123456789abcdef01234567" };
  harness = await openHarness({ app: { admin, dashboardToken: TOKEN, dashboardLogin: { ...client, origin } } });
  const { world } = harness;
  world.desk.callbackUrls = [`${origin}/login/github/callback`];
  world.person("rita", { permission: "read" });
  world.person("lena", { permission: "read", inRepository: { "acme/shop": "write" } });
  world.person("otto", { permission: "read", inRepository: { "acme/shop": "maintain" } });
  for (const name of ["shop", "ledger"] as const) {
    const repository = await world.repository("acme", name, { files: { "README.md": `# ${name}\n` } });
    const pull = await world.pullRequest(repository, { title: `feat: the ${name}`, files: CODE });
    expect((await harness.settled(pull)).state).toBe("done");
    key[name] = `github.com/${repository.id}`;
    head[name] = pull.headSha;
  }
});
afterAll(async () => {
  expect([harness?.world.violations, harness?.world.unfaithful.filter((one) => one.includes("/user "))]).toEqual([
    [],
    [],
  ]);
  await harness?.close();
});

/** A browser of one person: it keeps cookies, and follows nothing by itself. */
function browser(login: string | null) {
  const cookies = new Map<string, string>();
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    harness.world.desk.signedIn = login;
    const url = new URL(address, origin);
    const own = url.origin === origin ? { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") } : {};
    const answer = await fetch(url, { redirect: "manual", ...init, headers: { ...own, ...init.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else {
        cookies.set(name, value);
        expect(line).toMatch(/; Max-Age=\d+;.*; HttpOnly; SameSite=Lax$/);
      }
    }
    return answer;
  };
  const leads = async (address: string) => (await ask(address)).headers.get("location") ?? "";
  return {
    cookies,
    ask,
    leads,
    /** To GitHub and to the address that GitHub sends back to, which is not opened yet. */
    async toGitHub(next = "/"): Promise<string> {
      const page = await leads(`/login/github?${new URLSearchParams({ next })}`);
      expect(page.startsWith(`${harness.world.apiUrl}/login/oauth/authorize?`)).toBe(true);
      return leads(page);
    },
    async logIn(next = "/"): Promise<Response> {
      return ask(await this.toGitHub(next));
    },
    async text(path: string): Promise<string> {
      const answer = await ask(path);
      return `${answer.status} ${await answer.text()}`;
    },
    async post(path: string, form?: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
      const page = await (await ask("/reviews")).text();
      const own = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";
      return ask(path, {
        method: "POST",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ form: form ?? own, ...fields }).toString(),
      });
    },
  };
}

test("a person with write access to a repository gets in, sees that one, and nothing of any other", async () => {
  const lena = browser("lena");
  const inside = await lena.logIn("/reviews?page=1");
  expect([inside.status, inside.headers.get("location")]).toEqual([303, "/reviews?page=1"]);
  expect(lena.cookies.has("kodiai_login")).toBe(false);
  expect(harness.world.requests.filter(({ path }) => path === "/user")).toHaveLength(1);

  const own = [
    ...["/", "/repositories", "/reviews", "/memories", "/retrieval", "/jobs?state=done"],
    ...[
      `/repositories/${key.shop}`,
      `/reviews/${key.shop}/1/${head.shop}`,
      `/memories?repo=${encodeURIComponent(key.shop)}&q=shell`,
    ],
  ];
  for (const path of own) {
    const text = await lena.text(path);
    expect(text).toMatch(/^200 /);
    expect(text).toContain("@lena");
    expect([path, text.includes("ledger")]).toEqual([path, false]);
    expect([path, text.includes("acme/shop")]).toEqual([path, true]);
  }
  // What is of the process is not shown.
  expect(await lena.text("/")).not.toMatch(/Up for|Queue/);

  const [memory] = await foreignMemories();
  for (const path of [
    `/repositories/${key.ledger}`,
    `/reviews/${key.ledger}/1/${head.ledger}`,
    `/memories/${key.ledger}/${memory}`,
  ])
    expect([path, (await lena.ask(path)).status]).toEqual([path, 404]);
  for (const path of ["/", "/reviews", "/retrieval", "/memories"])
    for (const wanted of [key.ledger, "%", "github.com/%"])
      expect(await lena.text(`${path}?repo=${encodeURIComponent(wanted)}`)).not.toMatch(/ledger/);
});

test("the page of a review shows the code around each finding, with the line that it is about last", async () => {
  const lena = browser("lena");
  await lena.logIn();
  const text = await lena.text(`/reviews/${key.shop}/1/${head.shop}`);
  const [, lines = ""] = /<pre class="quoted diff"[^>]*>([\s\S]*?)<\/pre>/.exec(text) ?? [];
  const shown = lines
    .replace(/<[^>]+>/g, "")
    .trimEnd()
    .split("\n");
  expect(shown[0]).toMatch(/^@@ -0,0 \+1,\d+ @@/);
  expect(shown.at(-1)).toBe("+    subprocess.run(f&#39;tar {name}&#39;, shell=True)");
});

test("the overview says how many of each author's decided findings were taken up", async () => {
  const lena = browser("lena");
  await lena.logIn();
  const [one] = await memoriesOf(key.shop);
  await lena.post(`/memories/${key.shop}/${one}/decline`, undefined, { text: "on purpose" });
  const text = await lena.text(`/?repo=${encodeURIComponent(key.shop)}`);
  const [, table = ""] = /<h2>Acceptance by author<\/h2>([\s\S]*?)<\/table>/.exec(text) ?? [];
  const cells = [...table.matchAll(/<td[^>]*><div>([\s\S]*?)<\/div>/g)].map(([, cell]) => cell);
  expect(cells).toEqual(["@mona", "0 (0 %)", "1", "2"]);
});

test("a person who lost write access can change nothing from then on, and is logged out", async () => {
  const otto = browser("otto");
  await otto.logIn();
  expect(await otto.text("/")).toMatch(/^200 /);
  const [own] = await memoriesOf(key.shop);
  const page = await (await otto.ask("/reviews")).text();
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";
  harness.world.person("otto", { inRepository: {} });
  expect((await otto.post(`/memories/${key.shop}/${own}/forget`, form)).status).toBe(403);
  expect(await memoriesOf(key.shop)).toContain(own);
  expect(otto.cookies.has("kodiai_session")).toBe(false);
  expect((await otto.leads("/reviews")).startsWith("/login")).toBe(true);
});

test("every change checks the person's write access again, and needs a form of their session", async () => {
  const lena = browser("lena");
  await lena.logIn();
  const [theirs] = await foreignMemories();
  const [own] = await memoriesOf(key.shop);
  const counted = (what: string) => Number(memoryRows(`SELECT count(*) AS n FROM records WHERE mem = '${what}'`)[0]?.n);
  expect((await lena.post(`/memories/${key.ledger}/${theirs}/forget`)).headers.get("location")).toContain(
    "not-forgotten",
  );
  expect(counted(theirs ?? "")).toBe(1);
  expect((await lena.post(`/memories/${key.ledger}/${theirs}/restore`)).status).toBe(404);
  const [job] = harness.rows(`SELECT id FROM jobs WHERE key = '${key.ledger}#1' LIMIT 1`);
  expect((await lena.post(`/jobs/${job?.id}/retry`)).headers.get("location")).toContain("not-retried");
  expect((await lena.post(`/memories/${key.shop}/${own}/forget`, "another")).status).toBe(403);
  expect(counted(own ?? "")).toBe(1);
  expect((await lena.post(`/memories/${key.shop}/${own}/forget`)).headers.get("location")).toContain("done=forgotten");
  expect(counted(own ?? "")).toBe(0);
});

test("a decline on the dashboard judges the check again, and so does taking it back, as the commands do", async () => {
  const { world } = harness;
  const config = "review: {checks: {enabled: true, failOn: medium}}";
  const repository = await world.repository("acme", "shelf", { files: { ".kodiai.yml": config } });
  world.person("lena", { permission: "read", inRepository: { "acme/shop": "write", "acme/shelf": "write" } });
  const pull = await world.pullRequest(repository, { title: "feat: the shelf", files: { "b.py": CALL } });
  await harness.settled(pull);
  const shown = async () => (await world.checks(pull)).at(-1)?.conclusion;
  expect(await shown()).toBe("failure");
  const lena = browser("lena");
  await lena.logIn();
  const of = `github.com/${repository.id}`;
  const [memory] = await memoriesOf(of);
  const path = `/memories/${of}/${memory}`;
  expect((await lena.post(`${path}/decline`, undefined, { text: "only we call it" })).status).toBe(303);
  await harness.settled(pull);
  await expect.poll(shown).toBe("success");
  expect((await lena.post(`${path}/restore`)).status).toBe(303);
  await harness.settled(pull);
  await expect.poll(shown).toBe("failure");
});

test("a person who can only read, or who uses another's name, stays outside", async () => {
  const rita = browser("rita");
  const answer = await rita.logIn();
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("@rita may write to no repository");
  expect(rita.cookies.has("kodiai_session")).toBe(false);
  // The login is somebody else's by now: GitHub tells another id.
  const lena = browser("lena");
  await lena.logIn();
  const { id } = harness.world.person("lena");
  try {
    harness.world.person("lena", { id: 999 });
    const again = browser("lena");
    expect((await again.logIn()).status).toBe(303);
    const late = await lena.post("/jobs/1/retry");
    expect([late.status, late.headers.get("location")]).toEqual([303, "/login"]);
    expect(lena.cookies.has("kodiai_session")).toBe(false);
  } finally {
    harness.world.person("lena", { id });
  }
});

test("a login that this browser did not begin, a used code and a declined one let no one in", async () => {
  const lena = browser("lena");
  const back = new URL(await lena.toGitHub());
  const outside = async (address: string, who = lena) => {
    const answer = await who.ask(address);
    expect(who.cookies.has("kodiai_session")).toBe(false);
    return answer.status;
  };
  const other = new URL(back);
  other.searchParams.set("state", "another-state");
  // Somebody else's browser, which holds no cookie of the attempt, or one of another.
  expect(await outside(back.href, browser("otto"))).toBe(403);
  const mona = browser("otto");
  await mona.toGitHub();
  expect(await outside(back.href, mona)).toBe(403);
  expect(await outside(other.href)).toBe(403);
  // The wrong state ended the attempt.
  expect(await outside(back.href)).toBe(403);

  const again = browser("lena");
  const used = await again.toGitHub();
  const attempt = again.cookies.get("kodiai_login") ?? "";
  expect((await again.ask(used)).status).toBe(303);
  expect((await again.ask(used)).status).toBe(403);
  // With the attempt's cookie kept by hand it is GitHub that refuses.
  const replay = browser("lena");
  replay.cookies.set("kodiai_login", attempt);
  expect(await outside(used, replay)).toBe(401);
  expect(await outside(await browser(null).toGitHub(), browser(null))).toBe(403);
  const cancelled = browser(null);
  expect(await outside(await cancelled.toGitHub(), cancelled)).toBe(401);
});

test("GitHub receives a challenge and not its answer, and no one is redirected to another site", async () => {
  const lena = browser("lena");
  const asked = new URL(await lena.leads("/login/github"));
  expect(asked.searchParams.get("code_challenge_method")).toBe("S256");
  expect(asked.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
  expect(asked.searchParams.get("redirect_uri")).toBe(`${origin}/login/github/callback`);
  expect(asked.href).not.toContain("secret");
  for (const next of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "/%0d%0aX:1",
  ]) {
    const to = (await browser("lena").logIn(next)).headers.get("location") ?? "";
    expect(new URL(to, origin).origin).toBe(origin);
  }
  // By another name of this machine GitHub's way back would miss the cookie.
  const local = origin.replace("127.0.0.1", "localhost");
  expect(
    (await fetch(`${local}/login/github?next=//evil.example`, { redirect: "manual" })).headers.get("location"),
  ).toBe(`${origin}/login?next=%2F`);
});

test("a forged or changed session is invalid, and so is one after logging out", async () => {
  const lena = browser("lena");
  await lena.logIn();
  const cookie = lena.cookies.get("kodiai_session") ?? "";
  const admin = Buffer.from(JSON.stringify([1, "octocat"])).toString("base64url");
  for (const made of [
    admin,
    `${cookie.slice(0, 40)}${admin}${cookie.slice(40)}`,
    cookie.slice(0, -1),
    `${cookie}A`,
    "9999999999999.a.b",
  ]) {
    const other = browser("lena");
    other.cookies.set("kodiai_session", made);
    expect((await other.leads("/reviews")).startsWith("/login")).toBe(true);
  }
  expect(await lena.text("/login")).toContain("Log in with GitHub");
  await lena.post("/logout");
  expect((await lena.leads("/reviews")).startsWith("/login")).toBe(true);
});

test("each login spends the person's requests and none of the App's [T30]", async () => {
  const own = /^\/user(?:\/installations(?:\/\d+\/repositories)?)?$|^\/login\/oauth\//;
  const since = harness.world.requests.length;
  for (let login = 0; login < 20; login += 1) {
    expect((await browser("rita").logIn()).status).toBe(403);
    expect((await browser("lena").logIn()).status).toBe(303);
  }
  const asked = harness.world.requests.slice(since);
  expect(asked.filter(({ path }) => !own.test(path)).map(({ path }) => path)).toEqual([]);
  // Who may write nowhere is asked about once in five minutes.
  const installations = (await refusals(() => browser("rita").logIn())).filter((path) => path !== "/user");
  expect(installations).toEqual([]);
});

test("after any number of wrong tokens the right one opens the dashboard [T30]", async () => {
  const show = (token: string) =>
    fetch(`${origin}/login`, {
      method: "POST",
      redirect: "manual",
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ token }).toString(),
    });
  const wrong = await Promise.all(Array.from({ length: 15 }, (_, at) => show(`${TOKEN}${at}`)));
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const right = await show(TOKEN);
  expect([right.status, right.headers.getSetCookie()[0]?.split("=")[0]]).toEqual([303, "kodiai_session"]);
  expect((await show("wrong")).status).toBe(429);
});

test("how a job ended is shown to a person without hosts and paths, and to the operator as it is [T30]", async () => {
  const [job] = harness.rows(`SELECT id FROM jobs WHERE key = '${key.shop}#1' LIMIT 1`);
  const said =
    "failed: connect ECONNREFUSED 10.3.7.21:5432 at db-7.prod.internal, see /srv/kodiai/data/queue.db (https://embed.corp.example:8443/v1)";
  const db = new Database(`${harness.dataDir}/queue.db`);
  try {
    db.prepare("UPDATE jobs SET state = 'parked', outcome = ? WHERE id = ?").run(said, job?.id);
    const lena = browser("lena");
    await lena.logIn();
    for (const path of ["/jobs", "/jobs?state=parked"]) {
      const text = await lena.text(path);
      expect(text).toContain("failed: connect ECONNREFUSED");
      expect([path, /10\.3\.7\.21|prod\.internal|\/srv\/|embed\.corp/.exec(text)?.[0]]).toEqual([path, undefined]);
    }
    const operator = await asOperator("/jobs");
    for (const inside of ["10.3.7.21:5432", "db-7.prod.internal", "/srv/kodiai/data/queue.db", "embed.corp.example"])
      expect(operator).toContain(inside);
  } finally {
    db.prepare("UPDATE jobs SET state = 'done', outcome = 'posted' WHERE id = ?").run(job?.id);
    db.close();
  }
});

test("a cookie that was logged out of opens nothing any more, after a restart neither [T30]", async () => {
  const lena = browser("lena");
  const other = browser("lena");
  for (const one of [lena, other]) await one.logIn();
  const copied = lena.cookies.get("kodiai_session") ?? "";
  const leads = async (cookie: string) =>
    (await fetch(`${origin}/reviews`, { redirect: "manual", headers: { cookie: `kodiai_session=${cookie}` } })).status;
  expect(await leads(copied)).toBe(200);
  // Another site's form, or one of another session, logs nobody out.
  expect((await lena.post("/logout", "another")).status).toBe(403);
  // It takes no answer of GitHub.
  harness.world.fail({ match: { path: /^\/user\/installations/ }, status: 502, times: 5 });
  await lena.post("/logout");
  expect(await leads(copied)).toBe(303);
  await harness.restart();
  expect(await leads(copied)).toBe(303);
  expect(harness.rows("SELECT name FROM moments WHERE name LIKE 'session %'").length).toBeGreaterThan(0);
});

test("while GitHub does not answer no one is logged in or out, and the page says so", async () => {
  const lena = browser("lena");
  const back = await lena.toGitHub();
  harness.world.fail({ match: { method: "GET", path: "/user" }, status: 502 });
  expect((await lena.ask(back)).status).toBe(503);
  expect(lena.cookies.has("kodiai_session")).toBe(false);
});

test("no log line and no page holds the client secret or a token of a person", async () => {
  const said = harness.log.join("\n");
  expect(said).not.toMatch(/ghu_|0123456789abcdef0123456789abcdef01234567/);
});

/** Paths of GitHub's API that were asked for meanwhile. */
async function refusals(work: () => Promise<Response>): Promise<readonly string[]> {
  const since = harness.world.requests.length;
  expect((await work()).status).toBe(403);
  const paths = harness.world.requests.slice(since).map(({ path }) => path);
  return paths.filter((path) => !path.startsWith("/login/oauth/"));
}

async function asOperator(path: string): Promise<string> {
  const opened = await fetch(`${origin}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: TOKEN }).toString(),
  });
  const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return (await fetch(`${origin}${path}`, { headers: { cookie } })).text();
}

function memoryRows(sql: string): readonly Record<string, unknown>[] {
  const db = new Database(`${harness.dataDir}/memory.db`, { readonly: true });
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

async function memoriesOf(repo: string): Promise<readonly string[]> {
  const [host, id] = repo.split("/");
  const where = `repo = (SELECT id FROM repositories WHERE host = '${host}' AND github_id = '${id}')`;
  return memoryRows(`SELECT mem FROM records WHERE corpus = 'finding' AND ${where} ORDER BY id`).map(({ mem }) =>
    String(mem),
  );
}

const foreignMemories = () => memoriesOf(key.ledger);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
