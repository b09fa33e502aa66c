// The way of one request through the fake: log, GitHub's description, planned trouble, the door,
// then our routes, and whatever they do not know the emulator.
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { PostedOnPull } from "../../../scripts/review-page.ts";
import type { Access, Caller } from "./access.ts";
import { appSetupRoutes, type Confirmed, type FreshApp } from "./app-setup-routes.ts";
import { ARCHIVE_PATHS, archivePages, archiveRoutes, type openArchiveDesk } from "./archive-routes.ts";
import { type CodeScanning, codeScanningRoutes } from "./code-scanning.ts";
import { commentRoutes } from "./comment-routes.ts";
import { isJson, type Json, type Person, type Pull, Refusal } from "./conversation.ts";
import type { GitHalf, SecondApp } from "./emulator.ts";
import { brokenAnswer, cutAnswer, type Fault, type Faults, faultyAnswer, withHeaders } from "./faults.ts";
import { graphqlRoutes } from "./graphql-routes.ts";
import { type Hub, paged, type RouteContext, type RouteEnv } from "./hub.ts";
import { LOGIN_PATHS, type LoginDesk, loginRoutes } from "./login-routes.ts";
import type { Description, SentRequest } from "./openapi.ts";
import { GRAPHQL } from "./operations.ts";
import { type PersonActs, personRoutes } from "./person-routes.ts";
import { pullRoutes } from "./pull-routes.ts";
import { refused } from "./refusals.ts";
import { reviewRoutes } from "./review-routes.ts";
import { appJson, userJson, WEB } from "./shapes.ts";
import { statelessToken, subjectOf } from "./stateless-token.ts";
import { userRoutes } from "./user-routes.ts";
import { WEB_PATHS, webPages } from "./web-pages.ts";

// Above this GitHub gives no content in JSON, only raw. Source: REST reference, "Get repository
// content".
const JSON_CONTENT_LIMIT = 1_048_576;

/** One request as the world saw it. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** With the question mark, or empty. */
  readonly query: string;
  readonly body: unknown;
  /** 0 when the connection was cut. */
  status: number;
}

export interface Gateway {
  readonly hub: Hub;
  readonly git: GitHalf;
  readonly door: Access;
  readonly faults: Faults;
  /** What a person's token may do. */
  readonly persons: () => PersonActs;
  readonly description: Description;
  readonly requests: LoggedRequest[];
  readonly violations: string[];
  /** Says what is written too soon after the last; null where that is not looked at. */
  readonly pace: ((sent: SentRequest) => readonly string[]) | null;
  /** True makes installation tokens of the older form. */
  readonly opaqueTokens: boolean;
  /** Where our own answers differ from GitHub's description. */
  readonly unfaithful: string[];
  readonly confirmed: Confirmed;
  readonly app: FreshApp;
  /** Another App that the same accounts have installed. */
  readonly second: (SecondApp & { readonly bot: Person }) | null;
  readonly desk: LoginDesk;
  readonly archives: ReturnType<typeof openArchiveDesk>;
  readonly scans: CodeScanning;
  /** What a visitor of a pull request sees. */
  readonly posted: (pull: Pull) => PostedOnPull;
}

interface Arrived {
  readonly sent: SentRequest;
  readonly authorization: string | undefined;
  readonly accept: string;
  readonly text: string;
  readonly search: string;
}

/** Listens on a free loopback port; sets hub.apiUrl. */
export async function listen(way: Gateway): Promise<{ close(): Promise<void> }> {
  const routes = new Hono<RouteEnv>();
  routes.route("/", pullRoutes(way.hub)).route("/", reviewRoutes(way.hub)).route("/", commentRoutes(way.hub));
  routes.route("/", appRoutes(way.hub)).route("/", graphqlRoutes(way.hub));
  routes.route("/", personRoutes(way.hub, way.git, way.persons));
  routes.route("/", appSetupRoutes(way.hub, way.confirmed, way.app)).route("/", userRoutes(way.hub, way.app));
  routes.route("/", archiveRoutes(way.hub, way.archives)).route("/", codeScanningRoutes(way.hub, way.scans));
  routes.all("*", (c) => proxied(way, c));
  routes.onError((error) => (error instanceof Refusal ? refusal(error) : broken(error)));

  const pages = loginRoutes(way.hub, way.door, way.desk);
  const web = webPages(way.hub, way.git, way.posted);
  const archives = archivePages(way.hub, way.git, way.archives);

  const outer = new Hono<{ Bindings: { incoming: { socket: { destroy(): void } } } }>();
  outer.all("*", async (c) => {
    // For people and not part of the API.
    if (new URL(c.req.url).pathname.startsWith(LOGIN_PATHS)) return pages.fetch(c.req.raw);
    if (WEB_PATHS.test(new URL(c.req.url).pathname)) return web.fetch(c.req.raw);
    // Another host on github.com.
    if (new URL(c.req.url).pathname.startsWith(ARCHIVE_PATHS)) return archives.fetch(c.req.raw);
    const arrived = byName(way.hub, await read(c.req.raw));
    const entry: LoggedRequest = { ...arrived.sent, query: arrived.search, status: 0 };
    way.requests.push(entry);
    if (!isGraphql(arrived.sent)) way.violations.push(...way.description.checkRequest(arrived.sent));
    const fault = way.faults.next(arrived.sent.method, arrived.sent.path, arrived.sent.body);
    if (way.pace !== null) way.violations.push(...way.pace(arrived.sent));
    const answer = await meet(way, routes, arrived, fault);
    if (fault?.drop === true) {
      c.env.incoming.socket.destroy();
      return new Response(null, { status: 500 });
    }
    entry.status = answer.status;
    return answer;
  });

  const server = serve({ fetch: outer.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  way.hub.apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

/** A repository answers under its number as well. */
function byName({ repositories }: Hub, arrived: Arrived): Arrived {
  const [, id, rest = ""] = /^\/repositories\/(\d+)(\/.*)?$/.exec(arrived.sent.path) ?? [];
  const found = [...repositories.values()].find((one) => String(one.id) === id);
  if (found === undefined) return arrived;
  return { ...arrived, sent: { ...arrived.sent, path: `/repos/${found.owner}/${found.name}${rest}` } };
}

/**
 * Where a repository that was renamed is found; null for any other, and where its former name is
 * another's by now.
 */
function movedTo({ apiUrl, repositories, formerNames }: Hub, { sent, search }: Arrived): string | null {
  const [, name = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(sent.path.toLowerCase()) ?? [];
  const id = repositories.has(name) ? undefined : formerNames.get(name);
  if (id === undefined) return null;
  return `${apiUrl}/repositories/${id}${sent.path.slice(sent.path.length - rest.length)}${search}`;
}

function isGraphql({ method, path }: SentRequest): boolean {
  return `${method} ${path}` === GRAPHQL;
}

async function read(request: Request): Promise<Arrived> {
  const url = new URL(request.url);
  const text = request.method === "GET" || request.method === "HEAD" ? "" : await request.text();
  // GitHub Enterprise serves the same API under a prefix.
  const path = url.pathname.replace(/^\/api(?:\/v3)?(?=\/)/, "");
  const sent = { method: request.method, path, query: url.searchParams, body: parsed(text) };
  const authorization = request.headers.get("authorization") ?? undefined;
  return { sent, authorization, accept: request.headers.get("accept") ?? "", text, search: url.search };
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function meet(way: Gateway, routes: Hono<RouteEnv>, arrived: Arrived, fault: Fault | null): Promise<Response> {
  if (fault?.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delay));
  await fault?.happens?.();
  if (fault?.happens !== undefined) return answered(way, routes, arrived);
  if (fault?.cut === true) return cutAnswer(await answered(way, routes, arrived));
  if (fault?.breaks === true) return brokenAnswer(await answered(way, routes, arrived));
  if (fault?.onlyHeaders === true) return withHeaders(await answered(way, routes, arrived), fault);
  if (fault && fault.afterApplying !== true) return faultyAnswer(fault);
  const answer = await answered(way, routes, arrived);
  if (fault?.late !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.late));
  return fault ? faultyAnswer(fault) : answer;
}

async function answered(way: Gateway, routes: Hono<RouteEnv>, arrived: Arrived): Promise<Response> {
  const { sent, authorization, accept, text, search } = arrived;
  const elsewhere = movedTo(way.hub, arrived);
  if (elsewhere !== null)
    return faultyAnswer(refused(sent.method === "GET" ? "moved, 301" : "moved, 307", { to: elsewhere }));
  try {
    const caller = admit(way, arrived);
    const headers: Record<string, string> = { accept };
    if (authorization !== undefined) headers.authorization = authorization;
    if (text !== "") headers["content-type"] = "application/json";
    const body = text === "" ? {} : { body: text };
    const request = new Request(way.hub.apiUrl + sent.path + search, { method: sent.method, headers, ...body });
    const answer = await routes.fetch(request, { caller });
    if (answer.ok && answer.headers.get("content-type")?.includes("application/json")) {
      way.unfaithful.push(...way.description.checkAnswer(sent, answer.status, await answer.clone().json()));
    }
    return answer;
  } catch (error) {
    if (error instanceof Refusal) return refusal(error);
    throw error;
  }
}

function admit(way: Gateway, { sent, authorization }: Arrived): Caller {
  const operation = isGraphql(sent) ? GRAPHQL : (way.description.operation(sent.method, sent.path) ?? "");
  const name = /^\/repos\/([^/]+\/[^/]+)/.exec(sent.path)?.[1] ?? null;
  const repository = name === null ? undefined : way.hub.repositories.get(name.toLowerCase());
  return way.door.enter({ authorization, operation, repository: name, isPrivate: repository?.private ?? null });
}

function refusal(error: Refusal): Response {
  const body = {
    message: error.message,
    ...(error.errors === null ? {} : { errors: error.errors }),
    documentation_url: "https://docs.github.com/rest",
    status: String(error.status),
  };
  return Response.json(body, { status: error.status });
}

function broken(error: unknown): Response {
  return Response.json({ message: `The fake GitHub broke: ${String(error)}` }, { status: 500 });
}

/** What an App may list beside repositories. */
function appRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  routes.get("/installation/repositories", (c) => {
    const { caller } = c.env;
    const owner = caller.kind === "installation" ? caller.owner : "";
    const reached = [...hub.repositories.values()].filter((one) => one.owner === owner && !hub.withdrawn.has(one.id));
    return paged(hub, c, reached, (page) => ({
      total_count: reached.length,
      repositories: page.map(({ json }) => json),
    }));
  });
  return routes;
}

/** Everything about Apps, repositories, git objects and contents. */
async function proxied(way: Gateway, c: RouteContext): Promise<Response> {
  const { method, raw, path } = c.req;
  const text = method === "GET" ? "" : await c.req.text();
  if (path.endsWith("/access_tokens") && isOutOfReach(way.hub, parsed(text))) {
    throw new Refusal(422, "There is at least one repository that does not exist or is not accessible.");
  }
  const url = way.git.url + raw.url.slice(new URL(raw.url).origin.length);
  const headersIn = new Headers(raw.headers);
  const authorization = emulatorsToken(headersIn.get("authorization"));
  if (authorization !== null) headersIn.set("authorization", authorization);
  const answer = await fetch(url, { method, headers: headersIn, ...(text === "" ? {} : { body: text }) });
  if (answer.status === 204) return new Response(null, { status: 204 });
  const headers = new Headers();
  const links = answer.headers.get("link");
  if (links !== null) headers.set("link", links.replaceAll(way.git.url, way.hub.apiUrl));
  const accept = c.req.header("accept") ?? "";
  if (answer.ok && path.includes("/contents/") && accept.includes("raw")) {
    const type = accept.includes("raw+json") ? "raw+json" : "raw";
    headers.set("content-type", `application/vnd.github.${type}; charset=utf-8`);
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers });
  }
  const shown = (await answer.text())
    .replaceAll(`${way.git.url}/repos/`, `${way.hub.apiUrl}/repos/`)
    .replaceAll(`${way.git.url}/`, `${WEB}/`);
  const body = JSON.parse(shown) as Json;
  if (path.endsWith("/access_tokens") && answer.status === 201) rememberToken(way, path, body);
  if (path.includes("/check-runs")) nameApp(way, body);
  if (/\/branches\/[^/]+$/.test(path) && isJson(body.commit)) {
    // What the emulator leaves out is that of the commit.
    const commit = await way.git.ask("GET", `${path.replace(/\/branches\/.*/, "")}/commits/${body.commit.sha}`);
    Object.assign(body, { commit, _links: { self: url, html: url }, protection: { enabled: false } });
  }
  if (path === "/app") body.owner = userJson({ login: "kodiai-owner", id: 7, type: "User" });
  return Response.json(withoutLargeContent(path, body), { status: answer.status, headers });
}

/** The emulator does not say whose a check run is; in this world nobody else makes any. */
function nameApp({ hub, git }: Gateway, body: Json): void {
  const runs = Array.isArray(body.check_runs) ? (body.check_runs as Json[]) : [body];
  for (const run of runs) run.app = appJson(git.app, hub.apiUrl);
}

function isOutOfReach({ withdrawn }: Hub, body: unknown): boolean {
  const ids = isJson(body) && Array.isArray(body.repository_ids) ? body.repository_ids : [];
  return ids.some((id) => withdrawn.has(Number(id)));
}

function withoutLargeContent(path: string, body: Json): Json {
  const tooLarge = path.includes("/contents/") && Number(body.size) > JSON_CONTENT_LIMIT;
  return tooLarge ? { ...body, content: "", encoding: "none" } : body;
}

/** The emulator knows its own tokens only, which ours carry. */
function emulatorsToken(authorization: string | null): string | null {
  const subject = subjectOf(authorization?.replace(/^\w+ /, "") ?? "");
  return subject === null ? authorization : `token ${subject}`;
}

function rememberToken(way: Gateway, path: string, answer: Json): void {
  const { hub, door } = way;
  const id = Number(path.split("/")[3]);
  const [owner = ""] = [...hub.installations].find(([, installation]) => installation === id) ?? [];
  const [second] = [...(way.second?.installations ?? [])].find(([, installation]) => installation === id) ?? [];
  if (!way.opaqueTokens) answer.token = statelessToken(String(answer.token), way.git.app.id);
  if (isJson(answer.permissions)) answer.permissions = { metadata: "read", ...answer.permissions };
  if (second === undefined) door.remember(answer, owner);
  else door.remember(answer, second, way.second?.bot);
}
