// Who gets in: the operator by the token, and people who may write to a repository by GitHub.
// Behind the login are ports that hold what that person may see; changes need a form of theirs.
import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { RepoKey } from "../domain/memory.ts";
import { IMPORT } from "./addresses.ts";
import type { Access, DashboardPorts, VisitorWithToken } from "./dashboard-ports.ts";
import { type Inside, shown } from "./frame.ts";
import { loginPage, problemPage } from "./login.ts";
import { readAsPerson } from "./read-as-person.ts";
import { readKnown } from "./read-views.ts";
import { ATTEMPT_COOKIE, COOKIE, sessions, type Who } from "./session.ts";

/** Bytes of a form with a reason; and of one with a file of memories, which is read here. */
const MOST_BODY = 8_192;
const MOST_FILE = 2 ** 21;

/** Adds the login, and lets nothing else be answered without a session. */
export function guard(app: Hono<Inside>, access: Access, ports: DashboardPorts): void {
  const held = sessions(access, ports.random, ports.now);
  const ways = { token: access.token !== null, github: access.github !== null };
  const page = (c: Context<Inside>, problem: string | null, status: 200 | 401 | 403 | 429, next: string) =>
    shown(c, loginPage(ways, problem, next), status);
  const oldForm = (c: Context<Inside>) => shown(c, problemPage("Not done", OLD_FORM), 403);

  /** Known repositories that a person may write to; null where GitHub ended their login. */
  async function writableBy(visitor: VisitorWithToken, isFresh: boolean): Promise<ReadonlySet<RepoKey> | null> {
    const may = (await access.github?.writable(visitor, isFresh)) ?? null;
    if (may === null || may.size === 0) return may;
    return new Set((await readKnown(ports)).map(({ key }) => key).filter((key) => may.has(key)));
  }

  /** What a person may see, or why that is nothing; null where GitHub ended their login. */
  async function seenBy(who: Who, isFresh: boolean): Promise<DashboardPorts | { readonly problem: string } | null> {
    if (who.kind === "operator") return ports;
    const mine = await writableBy(who, isFresh);
    if (mine === null) return null;
    if (mine.size === 0) return { problem: noRepository(who.login) };
    return readAsPerson(ports, mine, { id: who.id, login: who.login });
  }

  function byToken(): void {
    app.post("/login", async (c) => {
      const { token = "", next } = await c.req.parseBody();
      const opened = held.open(String(token));
      if (opened === "later") return page(c, "Too many wrong tokens. Wait a minute.", 429, ownPath(next));
      if (opened === null) return page(c, "That is not the token.", 401, ownPath(next));
      const secure = c.req.header("x-forwarded-proto") === "https";
      setCookie(c, COOKIE, opened, { httpOnly: true, sameSite: "Strict", path: "/", maxAge: held.maxAge, secure });
      return c.redirect(ownPath(next), 303);
    });
  }

  function byGitHub(github: NonNullable<Access["github"]>): void {
    const { host, protocol } = new URL(github.origin);
    // Lax: the way back from GitHub begins at another site.
    const cookie = { httpOnly: true, sameSite: "Lax", secure: protocol === "https:" } as const;
    app.get("/login/github", (c) => {
      const next = ownPath(c.req.query("next"));
      // GitHub sends everybody back to one address, and the cookie must be there.
      if (c.req.header("host") !== host)
        return c.redirect(`${github.origin}/login?${new URLSearchParams({ next })}`, 302);
      const { cookie: value, state, challenge } = held.begin(next);
      setCookie(c, ATTEMPT_COOKIE, value, { ...cookie, path: "/login", maxAge: held.attemptAge });
      return c.redirect(github.page(state, challenge), 302);
    });
    app.get("/login/github/callback", async (c) => {
      const attempt = held.comesBack(getCookie(c, ATTEMPT_COOKIE), c.req.query("state"));
      deleteCookie(c, ATTEMPT_COOKIE, { path: "/login" });
      if (attempt === null) return page(c, "This login was not begun here, or too long ago. Try again.", 403, "/");
      const { verifier, next } = attempt;
      const code = c.req.query("code") ?? "";
      if (!/^[\w-]{1,200}$/.test(code)) return page(c, "GitHub did not let you in. Try again.", 401, next);
      const visitor = await github.visitor(code, verifier);
      if (visitor === null) return page(c, "GitHub does not take that login any more. Try again.", 401, next);
      if (((await writableBy(visitor, true))?.size ?? 0) === 0) return page(c, noRepository(visitor.login), 403, next);
      setCookie(c, COOKIE, held.openFor(visitor), { ...cookie, path: "/", maxAge: held.maxAge });
      return c.redirect(next, 303);
    });
  }

  app.use(async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return next();
    const most = c.req.path.endsWith(IMPORT) ? MOST_FILE : MOST_BODY;
    if (c.req.method !== "POST") return c.text("this is not taken", 405);
    if (Number(c.req.header("content-length") ?? most + 1) > most)
      return shown(c, problemPage("Not done", `More than ${most / 1024} KiB is not taken here.`), 413);
    const sent = { origin: c.req.header("origin"), site: c.req.header("sec-fetch-site"), host: c.req.header("host") };
    return isSameOrigin(sent) ? next() : c.text("this comes from another site", 403);
  });
  app.get("/login", (c) => page(c, null, 200, ownPath(c.req.query("next"))));
  if (access.token !== null) byToken();
  if (access.github !== null) byGitHub(access.github);
  // Before everything that asks GitHub: logging out works while GitHub is away.
  app.post("/logout", async (c) => {
    const cookie = getCookie(c, COOKIE);
    const session = held.session(cookie);
    if (session !== null && cookie !== undefined) {
      if (!held.isOwnForm(cookie, (await c.req.parseBody()).form)) return oldForm(c);
      await ports.endedSessions.end(session.name, session.until);
    }
    deleteCookie(c, COOKIE, { path: "/" });
    return c.redirect("/login", 303);
  });
  app.use(async (c, next) => {
    const cookie = getCookie(c, COOKIE);
    const session = held.session(cookie);
    const isOver = session === null || (await ports.endedSessions.isEnded(session.name));
    if (isOver || cookie === undefined) return c.redirect(`/login${wanted(c)}`, 303);
    const isPost = c.req.method === "POST";
    const seen = await seenBy(session.who, isPost);
    if (seen === null || "problem" in seen) {
      deleteCookie(c, COOKIE, { path: "/" });
      return seen === null ? c.redirect(`/login${wanted(c)}`, 303) : page(c, seen.problem, 403, "/");
    }
    if (isPost && !held.isOwnForm(cookie, (await c.req.parseBody()).form)) return oldForm(c);
    c.set("ports", seen);
    c.set("formToken", held.formToken(cookie));
    return next();
  });
}

const OLD_FORM = "The form was too old, or not one of this session. Go back, load the page again, and try once more.";

function noRepository(login: string): string {
  return `@${login} may write to no repository that Kodiai knows. It is those that the App is installed on, and that it has read or reviewed.`;
}

function wanted(c: Context<Inside>): string {
  const { pathname, search } = new URL(c.req.url);
  const isPage = c.req.method === "GET" && pathname !== "/";
  return isPage ? `?${new URLSearchParams({ next: pathname + search }).toString()}` : "";
}

/** A page of ours to go on to: never another site. */
function ownPath(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(next) ? next : "/";
}

/** Whether a request comes from a page of ours: browsers say so, other programs need not apply. */
export function isSameOrigin(sent: Readonly<Record<"origin" | "site" | "host", string | undefined>>): boolean {
  const { origin, site, host } = sent;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return site === "same-origin";
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
