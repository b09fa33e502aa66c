// Addresses -> pages. Everything but the login and our own files needs a session; what changes
// something also needs a form of that session, sent from our own pages.

import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import { Transient } from "../domain/errors.ts";
import type { Repo } from "../domain/job.ts";
import { CORPORA, repoKey } from "../domain/memory.ts";
import { lowInformation } from "../domain/text/low-information.ts";
import { exportMemory, importMemory } from "../flows/memory/memory-file.ts";
import { declineMemory, restoreMemory } from "../flows/people/weigh-evidence.ts";
import { EXPORT, IMPORT, memoriesPath, memoryPath } from "./addresses.ts";
import { ASSETS } from "./assets.ts";
import type { Access, DashboardPorts, MemoryShown } from "./dashboard-ports.ts";
import { type Inside, type Notice, type Page, repoOf, SECTIONS, shown } from "./frame.ts";
import { guard } from "./guard.ts";
import { JOB_STATES, jobsPage } from "./jobs.ts";
import { closedPage, problemPage } from "./login.ts";
import { METHODS, memoriesPage, memoryPage } from "./memories.ts";
import { overviewPage } from "./overview.ts";
import {
  knownRepository,
  REPOSITORY_ORDERS,
  readJobs,
  readMemories,
  readMemory,
  readOverview,
  readRepositories,
  readRepository,
  readRetrieval,
  readReview,
  readReviews,
} from "./read-views.ts";
import { importedPage, repositoriesPage, repositoryPage } from "./repositories.ts";
import { retrievalPage } from "./retrieval.ts";
import { reviewPage, reviewsPage } from "./reviews.ts";

const WINDOWS = [7, 30, 90];

/** Answers requests; never rejects. @param ports as the operator sees them */
export function dashboard(access: Access, ports: DashboardPorts): (request: Request) => Promise<Response> {
  const app = new Hono<Inside>();
  app.use(async (c, next) => {
    c.set("version", ports.version);
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  });
  app.get("/assets/:name", (c) => {
    const found = ASSETS.get(c.req.param("name"));
    if (found === undefined) return c.notFound();
    return c.body(found.bytes, 200, {
      "content-type": found.type,
      "cache-control": "public, max-age=31536000, immutable",
    });
  });
  if (access.token === null && access.github === null) closed(app);
  else {
    guard(app, access, ports);
    pages(app);
    acts(app);
  }
  app.notFound((c) => shown(c, problemPage("Not here", "There is no page at this address."), 404));
  app.onError((error, c) => {
    ports.onError(error);
    if (error instanceof Transient)
      return shown(c, problemPage("Not now", "What is needed for this page does not answer. Try again."), 503);
    return shown(c, problemPage("That went wrong", "The page could not be made; the log says why."), 500);
  });
  return async (request) => app.fetch(request);
}

/** Where nothing opens it, pages say how to open them; nothing else is answered. */
function closed(app: Hono<Inside>): void {
  for (const path of ["/login", ...SECTIONS.flatMap(([, own]) => (own === "/" ? [own] : [own, `${own}/*`]))])
    app.get(path, (c) => shown(c, closedPage(), 403));
}

function pages(app: Hono<Inside>): void {
  const number = (word: string | undefined) => (/^[1-9]\d{0,5}$/.test(word ?? "") ? Number(word) : 1);
  const days = (c: Context<Inside>) => WINDOWS.find((length) => String(length) === c.req.query("days")) ?? 30;
  const show = async <Value>(c: Context<Inside>, value: Promise<Value | null>, page: (of: Value) => Page) => {
    const of = await value;
    return of === null ? c.notFound() : shown(c, page(of));
  };
  const word = (c: Context<Inside>, name: string) => c.req.query(name) ?? "";
  const get = (path: string, answer: (c: Context<Inside>, ports: DashboardPorts) => Response | Promise<Response>) =>
    app.get(path, (c) => answer(c, c.get("ports")));
  get("/", (c, ports) => show(c, readOverview(ports, days(c), word(c, "repo")), overviewPage));
  get("/repositories", (c, ports) => {
    const order = REPOSITORY_ORDERS.find((name) => name === word(c, "by")) ?? "name";
    return show(c, readRepositories(ports, order), repositoriesPage);
  });
  get("/repositories/:host/:id", (c, ports) =>
    show(c, readRepository(ports, repoOf(c), c.get("formToken")), repositoryPage),
  );
  get(`/repositories/:host/:id${EXPORT}`, (c) =>
    onRepository(c, (repo, { memory, recall, embedder }) => {
      const wish = { repo, corpora: CORPORA, what: "records" } as const;
      const lines = exportMemory(wish, { memory, recall, space: embedder.space });
      c.header("content-type", "application/jsonl; charset=utf-8");
      c.header("content-disposition", 'attachment; filename="memory.jsonl"');
      return stream(c, async (to) => {
        for await (const line of lines) await to.writeln(line);
      });
    }),
  );
  get("/reviews", (c, ports) => show(c, readReviews(ports, word(c, "repo"), number(c.req.query("page"))), reviewsPage));
  get("/reviews/:host/:id/:number/:head", (c, ports) =>
    show(
      c,
      readReview(ports, `${repoOf(c)}#${c.req.param("number")}`, c.req.param("head") ?? "", c.get("formToken")),
      reviewPage,
    ),
  );
  get("/memories", (c, ports) => {
    const question = {
      repo: word(c, "repo"),
      q: word(c, "q").slice(0, 2_000),
      method: METHODS.find((name) => name === word(c, "method")) ?? "hybrid",
      corpus: word(c, "corpus"),
      outcome: word(c, "outcome"),
      language: word(c, "language"),
    };
    return show(c, readMemories(ports, question, number(c.req.query("page"))), memoriesPage);
  });
  get("/memories/:host/:id/:memory", (c, { memory }) =>
    memory === null
      ? c.notFound()
      : show(c, readMemory(memory, repoOf(c), c.req.param("memory") ?? "", c.get("formToken")), memoryPage),
  );
  get("/retrieval", (c, ports) => show(c, readRetrieval(ports, days(c), word(c, "repo")), retrievalPage));
  get("/jobs", (c, ports) => {
    const state = JOB_STATES.find((name) => name === c.req.query("state")) ?? "";
    return show(c, readJobs(ports, state, c.get("formToken")), jobsPage);
  });
}

/** The few acts; each ends at the page that shows it. */
function acts(app: Hono<Inside>): void {
  app.post("/jobs/:job/retry", async (c) => {
    const { jobs, wake } = c.get("ports");
    const id = c.req.param("job");
    const change = /^[1-9]\d{0,14}$/.test(id) ? await jobs.retry(Number(id)) : { kind: "refused" };
    if (change.kind === "changed") wake();
    return c.redirect(done("/jobs", change.kind === "changed" ? "retried" : "not-retried"), 303);
  });
  app.post("/memories/:host/:id/:memory/forget", async (c) => {
    const { memory } = c.get("ports");
    if (memory === null) return c.notFound();
    const repo = repoOf(c);
    const count = await memory.memory.forget(repo, [c.req.param("memory")]);
    return c.redirect(done(memoriesPath(repo), count > 0 ? "forgotten" : "not-forgotten"), 303);
  });
  app.post("/memories/:host/:id/:memory/restore", (c) =>
    onRepository(c, async (repo, { deciding }) => {
      const id = c.req.param("memory");
      const count = await restoreMemory(repo, id, deciding, c.get("ports").viewer);
      return c.redirect(done(memoryPath(repoKey(repo), id), count > 0 ? "restored" : "not-declined"), 303);
    }),
  );
  app.post("/memories/:host/:id/:memory/decline", (c) =>
    onRepository(c, async (repo, { deciding }) => {
      const id = c.req.param("memory");
      const { text } = await c.req.parseBody();
      const reason = typeof text === "string" ? text : "";
      const isDone = await declineMemory(repo, id, reason, deciding, c.get("ports").viewer);
      return isDone ? c.redirect(done(memoryPath(repoKey(repo), id), "declined"), 303) : c.notFound();
    }),
  );
  // Reads an export of a memory into this repository: the same file again changes nothing.
  app.post(`/repositories/:host/:id${IMPORT}`, (c) =>
    onRepository(c, async (repo, ports) => {
      const { file } = await c.req.parseBody();
      const lines = file instanceof File ? (await file.text()).split("\n") : [];
      const rules = { lowInformation, remembering: { redact: ports.deciding.redact }, into: repo };
      return shown(c, importedPage(repoKey(repo), await importMemory(lines, rules, ports)));
    }),
  );
}

/** Answers about the repository of the address; "not found" where memory does not know it. */
async function onRepository(
  c: Context<Inside>,
  answer: (repo: Repo, memory: MemoryShown) => Response | Promise<Response>,
): Promise<Response> {
  const { memory } = c.get("ports");
  const repo = memory === null ? null : await knownRepository(memory, repoOf(c));
  return memory === null || repo === null ? c.notFound() : answer(repo, memory);
}

function done(path: string, what: Notice): string {
  return `${path}${path.includes("?") ? "&" : "?"}done=${what}`;
}

/** Of every answer: our own scripts and styles, in no frame, and no referrer for other sites. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  // "no-referrer" would take the origin off our own forms.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
