// DOOR: addresses -> pages. Everything but the login and our own files needs a session; whatever changes something also needs a
// form of that session, sent from our own pages.
import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { acts } from "./acts.ts";
import { asset } from "./assets.ts";
import { configurationPage } from "./configuration.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";
import { framed, type Page, SECTIONS } from "./frame.ts";
import { type Inside, repoOf } from "./inside.ts";
import { JOB_STATES, jobsPage } from "./jobs.ts";
import { closedPage, loginPage, problemPage } from "./login.ts";
import { METHODS, memoriesPage } from "./memories.ts";
import { memoryPage } from "./memory.ts";
import { notice } from "./notices.ts";
import { overviewPage } from "./overview.ts";
import { readJobs, readOverview, readRepositories, readRetrieval, readReviews } from "./read-overview.ts";
import { readConfiguration, readMemories, readMemory, readRepository, readReview } from "./read-repository.ts";
import { repositoriesPage } from "./repositories.ts";
import { repositoryPage } from "./repository.ts";
import { retrievalPage } from "./retrieval.ts";
import { reviewPage } from "./review.ts";
import { reviewsPage } from "./reviews.ts";
import { isSameOrigin } from "./same-origin.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { COOKIE, type Sessions, sessions } from "./session.ts";

type Answer = Response | Promise<Response>;

/** A form with one token in it. */
const MOST_BODY = 8_192;
const WINDOWS = [7, 30, 90];

/**
 * @param token what opens it; null keeps it closed
 * @returns answers requests; it never rejects
 */
export function dashboard(token: string | null, ports: DashboardPorts): (request: Request) => Promise<Response> {
  const app = new Hono<Inside>();
  const held = token === null ? null : sessions(token, ports.random, ports.now);
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  });
  app.get("/assets/:name", (c) => {
    const found = asset(c.req.param("name"));
    if (found === null) return c.notFound();
    return c.body(found.bytes, 200, {
      "content-type": found.type,
      "cache-control": "public, max-age=31536000, immutable",
    });
  });
  if (held === null) closed(app, ports);
  else {
    guard(app, held, ports);
    pages(app, ports);
    acts(app, ports);
  }
  app.notFound((c) => shown(c, ports, problemPage("Not here", "Nothing has this address."), 404));
  app.onError((error, c) => {
    ports.onError(error);
    return shown(c, ports, problemPage("That went wrong", "The page could not be made; the log says why."), 500);
  });
  return async (request) => app.fetch(request);
}

/** Where there is no token, pages say how to open them; nothing else is answered. */
function closed(app: Hono<Inside>, ports: DashboardPorts): void {
  for (const path of ["/login", ...SECTIONS.flatMap(([, own]) => (own === "/" ? [own] : [own, `${own}/*`]))])
    app.get(path, (c) => shown(c, ports, closedPage(), 403));
}

/** The login, and nothing else without a session. */
function guard(app: Hono<Inside>, held: Sessions, ports: DashboardPorts): void {
  const login = (c: Context<Inside>, problem: string | null, status: 200 | 401 | 403 | 429, next: string) =>
    shown(c, ports, loginPage(problem, next), status);
  app.use(async (c, next) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (isRead) return next();
    if (c.req.method !== "POST" || Number(c.req.header("content-length") ?? MOST_BODY + 1) > MOST_BODY)
      return c.text("this is not taken", 405);
    const sent = { origin: c.req.header("origin"), site: c.req.header("sec-fetch-site"), host: c.req.header("host") };
    return isSameOrigin(sent) ? next() : c.text("this comes from another site", 403);
  });
  app.get("/login", (c) => login(c, null, 200, ownPath(c.req.query("next"))));
  app.post("/login", async (c) => {
    const { token = "", next } = await c.req.parseBody();
    const opened = held.open(String(token));
    if (opened === "later") return login(c, "Too many wrong tokens. Wait a minute.", 429, ownPath(next));
    if (opened === null) return login(c, "That is not the token.", 401, ownPath(next));
    const secure = c.req.header("x-forwarded-proto") === "https";
    setCookie(c, COOKIE, opened, { httpOnly: true, sameSite: "Strict", path: "/", maxAge: held.maxAge, secure });
    return c.redirect(ownPath(next), 303);
  });
  app.use(async (c, next) => {
    const cookie = getCookie(c, COOKIE);
    if (!held.holds(cookie)) {
      const { pathname, search } = new URL(c.req.url);
      const wanted =
        c.req.method === "GET" && pathname !== "/" ? `?${new URLSearchParams({ next: pathname + search })}` : "";
      return c.redirect(`/login${wanted}`, 303);
    }
    if (c.req.method === "POST" && !held.isOwnForm(cookie, (await c.req.parseBody()).form))
      return shown(
        c,
        ports,
        problemPage(
          "Not done",
          "The form was too old, or not one of this session. Go back, load the page again, and try once more.",
        ),
        403,
      );
    c.set("formToken", held.formToken(cookie));
    return next();
  });
  app.post("/logout", (c) => {
    deleteCookie(c, COOKIE, { path: "/" });
    return c.redirect("/login", 303);
  });
}

/** A page of ours to go on to: never another site. */
function ownPath(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(next) ? next : "/";
}

function pages(app: Hono<Inside>, ports: DashboardPorts): void {
  const number = (word: string | undefined) => (/^[1-9]\d{0,5}$/.test(word ?? "") ? Number(word) : 1);
  const days = (c: Context<Inside>) => WINDOWS.find((one) => String(one) === c.req.query("days")) ?? 30;
  const show = async <Value>(
    c: Context<Inside>,
    value: Value | Promise<Value | null> | null,
    page: (of: Value) => Page,
  ) => {
    const of = await value;
    return of === null ? c.notFound() : shown(c, ports, page(of));
  };
  const get = (path: string, answer: (c: Context<Inside>) => Answer) => app.get(path, answer);
  get("/", (c) => show(c, readOverview(ports, days(c)), overviewPage));
  get("/repositories", (c) => show(c, readRepositories(ports), repositoriesPage));
  get("/repositories/:host/:id", (c) => {
    const asked = { formToken: c.get("formToken"), conventions: c.req.query("conventions") === "1" };
    return show(c, readRepository(ports, repoOf(c), asked), repositoryPage);
  });
  get("/reviews", (c) =>
    show(c, readReviews(ports, c.req.query("repo") ?? null, number(c.req.query("page"))), reviewsPage),
  );
  get("/reviews/:host/:id/:number/:head", (c) =>
    show(c, readReview(ports, `${repoOf(c)}#${c.req.param("number")}`, c.req.param("head") ?? ""), reviewPage),
  );
  get("/memories", (c) => {
    const word = (name: string) => c.req.query(name) ?? "";
    const method = METHODS.find((one) => one === word("method")) ?? "hybrid";
    const q = word("q").slice(0, 2_000);
    const asked = {
      repo: word("repo"),
      q,
      method,
      corpus: word("corpus"),
      outcome: word("outcome"),
      language: word("language"),
    };
    return show(c, readMemories(ports, asked, number(c.req.query("page"))), memoriesPage);
  });
  get("/memories/:host/:id/:memory", (c) =>
    ports.memory === null
      ? c.notFound()
      : show(c, readMemory(ports.memory, repoOf(c), c.req.param("memory") ?? "", c.get("formToken")), memoryPage),
  );
  get("/retrieval", (c) => show(c, readRetrieval(ports, days(c)), retrievalPage));
  get("/configuration", (c) => show(c, readConfiguration(ports, c.req.query("repo") ?? ""), configurationPage));
  get("/jobs", (c) => {
    const state = JOB_STATES.find((one) => one === c.req.query("state")) ?? "";
    return show(c, readJobs(ports, state, c.get("formToken")), jobsPage);
  });
}

async function shown(
  c: Context<Inside>,
  { version }: DashboardPorts,
  page: Page,
  status: 200 | 401 | 403 | 404 | 429 | 500 = 200,
): Promise<Response> {
  const around = { formToken: c.get("formToken") ?? null, notice: notice(c.req.query("done")), version };
  return c.html(await framed(page, around), status);
}
