// The few acts: forget a memory, restore a declined one, mark a convention as taken, have a parked job tried again. Each ends at
// the page that shows it.
import type { Hono } from "hono";
import { repoKey } from "../domain/memory.ts";
import { restoreMemory } from "../flows/memory/restore-memory.ts";
import { memoriesPath, memoryPath, repositoryPath } from "./addresses.ts";
import { type Inside, repoOf } from "./inside.ts";
import type { Notice } from "./notices.ts";
import { knownRepository } from "./read-repository.ts";

export function acts(app: Hono<Inside>): void {
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
    const gone = await memory.forget(repo, [c.req.param("memory")]);
    return c.redirect(done(memoriesPath(repo), gone > 0 ? "forgotten" : "not-forgotten"), 303);
  });
  app.post("/memories/:host/:id/:memory/restore", async (c) => {
    const { memory, viewer } = c.get("ports");
    const repo = memory === null ? null : await knownRepository(memory, repoOf(c));
    if (memory === null || repo === null) return c.notFound();
    const id = c.req.param("memory");
    const count = await restoreMemory(repo, id, memory.restoring, viewer);
    return c.redirect(done(memoryPath(repoKey(repo), id), count > 0 ? "restored" : "not-declined"), 303);
  });
  app.post("/repositories/:host/:id/conventions/:memory/:act{take|untake}", async (c) => {
    const { memory, now } = c.get("ports");
    if (memory === null) return c.notFound();
    const repo = repoOf(c);
    const { memory: id, act } = c.req.param();
    if (act === "take") await memory.figures.take(repo, id, now());
    else await memory.figures.untake(repo, [id]);
    return c.redirect(`${done(repositoryPath(repo), act === "take" ? "taken" : "untaken")}#conventions`, 303);
  });
}

function done(path: string, what: Notice): string {
  return `${path}${path.includes("?") ? "&" : "?"}done=${what}`;
}
