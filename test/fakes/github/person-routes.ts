// What a person does with a token that may write: branches, files, pull requests, and other names
// for branches and repositories.
import { Hono } from "hono";
import { isJson, type Json, type Pull, Refusal, type Repository } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";
import { bodyOf, type Hub, pullOf, type RouteContext, type RouteEnv, repositoryOf } from "./hub.ts";
import { type OpenedFrom, openedPull } from "./pull-actions.ts";
import { rightsOf, roleIn } from "./pull-routes.ts";
import { pullJson } from "./shapes.ts";

export interface PersonActs {
  closePull(pull: Pull): Promise<void>;
  renameRepository(repository: Repository, name: string): Promise<void>;
}

/** @param acts known once the world is made */
export function personRoutes(hub: Hub, git: GitHalf, acts: () => PersonActs): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const repo = "/repos/:owner/:repo";
  const asker = (c: RouteContext) => {
    const { caller } = c.env;
    if (caller.kind !== "person") throw new Refusal(403, "Resource not accessible by integration");
    return caller.person;
  };
  const here = (c: RouteContext) => `/repos/${repositoryOf(hub, c).owner}/${repositoryOf(hub, c).name}`;
  const tip = async (c: RouteContext, branch: string): Promise<string> => {
    const { object } = await git.ask("GET", `${here(c)}/git/ref/heads/${branch}`);
    return isJson(object) ? String(object.sha) : "";
  };

  routes.post(`${repo}/git/refs`, async (c) => {
    asker(c);
    return c.json(await git.ask("POST", `${here(c)}/git/refs`, await bodyOf(c)), 201);
  });

  routes.delete(`${repo}/git/refs/:ref{.+}`, async (c) => {
    asker(c);
    const ref = decodeURIComponent(c.req.param("ref"));
    await git.ask("DELETE", `${here(c)}/git/refs/${ref}`).catch(() => {
      throw new Refusal(422, "Reference does not exist");
    });
    return c.body(null, 204);
  });

  routes.put(`${repo}/contents/:path{.+}`, async (c) => {
    asker(c);
    const body = await bodyOf(c);
    const status = body.sha === undefined ? 201 : 200;
    return c.json(await git.ask("PUT", `${here(c)}/contents/${c.req.param("path")}`, body), status);
  });

  routes.post(`${repo}/pulls`, async (c) => {
    const author = asker(c);
    const repository = repositoryOf(hub, c);
    const {
      title,
      body = null,
      head,
      base,
    } = (await bodyOf(c)) as Json & { title: string; head: string; base: string };
    const [headSha, baseSha] = [await tip(c, head), await tip(c, base)];
    const from: OpenedFrom = { title, body: body as string | null, headRef: head, headSha, baseRef: base, baseSha };
    const pull = openedPull(hub, repository, author, from);
    return c.json(pullJson(pull, await hub.changes(pull)), 201);
  });

  routes.patch(`${repo}/pulls/:number{[0-9]+}`, async (c) => {
    asker(c);
    const pull = pullOf(hub, c);
    const { state } = await bodyOf(c);
    if (state === "closed") await acts().closePull(pull);
    return c.json(pullJson(pull, await hub.changes(pull)));
  });

  // Pull requests into the branch follow it. Source: docs.github.com, "Renaming a branch".
  routes.post(`${repo}/branches/:branch{.+}/rename`, async (c) => {
    asker(c);
    const branch = c.req.param("branch");
    const { new_name: name } = await bodyOf(c);
    await git.ask("POST", `${here(c)}/git/refs`, { ref: `refs/heads/${name}`, sha: await tip(c, branch) });
    await git.ask("DELETE", `${here(c)}/git/refs/heads/${branch}`);
    for (const pull of repositoryOf(hub, c).pulls) if (pull.baseRef === branch) pull.baseRef = String(name);
    return c.json(await git.ask("GET", `${here(c)}/branches/${name}`), 201);
  });

  routes.patch(repo, async (c) => {
    const repository = repositoryOf(hub, c);
    if (!rightsOf(roleIn(asker(c), repository)).admin) throw new Refusal(403, "Must have admin rights to Repository.");
    const { name } = await bodyOf(c);
    await acts().renameRepository(repository, String(name));
    return c.json(repository.json);
  });

  // GitHub makes a suite for each App with `checks: write` at a push; whether it shows one without
  // runs is what a live run finds out.
  routes.get(`${repo}/commits/:ref/check-suites`, (c) => c.json({ total_count: 0, check_suites: [] }));

  return routes;
}
