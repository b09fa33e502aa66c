// Reading pull requests: the pull request itself, its files, commits and diff; people, and the
// search for merged ones.
import { Hono } from "hono";
import { type ChangedFile, listedPage, unifiedDiff } from "./changes.ts";
import { type Person, Refusal } from "./conversation.ts";
import { type Hub, paged, pullOf, type RouteEnv, repositoryOf } from "./hub.ts";
import { pullJson, userJson, WEB } from "./shapes.ts";

const LISTED_FILES = 3000;
const LISTED_COMMITS = 250;

export function pullRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();

  routes.get("/repos/:owner/:repo", (c) => {
    const repository = repositoryOf(hub, c);
    const { caller } = c.env;
    const rights = caller.kind === "person" ? { permissions: rightsOf(roleIn(caller.person, repository)) } : {};
    return c.json({ ...repository.json, ...rights });
  });

  routes.get("/repos/:owner/:repo/pulls", (c) => {
    const state = c.req.query("state") ?? "open";
    const pulls = repositoryOf(hub, c).pulls.filter((pull) => state === "all" || pull.state === state);
    return paged(hub, c, pulls.toReversed(), (page) => page.map((pull) => pullJson(pull, null)));
  });

  routes.get("/repos/:owner/:repo/pulls/:number{[0-9]+}", async (c) => {
    const pull = pullOf(hub, c);
    const changes = await hub.changes(pull);
    if (!/diff|patch/.test(c.req.header("accept") ?? "")) return c.json(pullJson(pull, changes));
    const type = "application/vnd.github.diff; charset=utf-8";
    return c.body(unifiedDiff(changes.files, pull), 200, { "content-type": type });
  });

  routes.get("/repos/:owner/:repo/pulls/:number{[0-9]+}/files", async (c) => {
    const pull = pullOf(hub, c);
    const { files } = await hub.changes(pull);
    return paged<ChangedFile>(hub, c, files.slice(0, LISTED_FILES), (page) => listedPage(page, pull));
  });

  routes.get("/repos/:owner/:repo/pulls/:number{[0-9]+}/commits", async (c) => {
    const { commits } = await hub.changes(pullOf(hub, c));
    return paged(hub, c, commits.slice(0, LISTED_COMMITS), (page) => page);
  });

  routes.put("/repos/:owner/:repo/pulls/:number{[0-9]+}/merge", () => {
    throw new Refusal(405, "Merging is not what this fake is for");
  });

  routes.get("/repos/:owner/:repo/collaborators/:login/permission", (c) => {
    repositoryOf(hub, c);
    const person = personOf(hub, c.req.param("login"));
    const role = roleIn(person, { owner: c.req.param("owner"), name: c.req.param("repo") });
    // GitHub folds the two finer roles into the coarser ones, and names them in role_name.
    const permission = role === "maintain" ? "write" : role === "triage" ? "read" : role;
    const permissions = rightsOf(role);
    return c.json({
      permission,
      role_name: role,
      user: { ...userJson(person), role_name: role, permissions },
    });
  });

  const shownPerson = (person: Person) => {
    const counts = { public_repos: 3, public_gists: 0, followers: 1, following: 1 };
    const dates = { created_at: "2015-03-14T15:09:26Z", updated_at: "2026-01-01T00:00:00Z" };
    const empty = { name: null, company: null, blog: null, location: null, email: null, hireable: null, bio: null };
    return { ...userJson(person), ...empty, ...counts, ...dates };
  };
  routes.get("/users/:login", (c) => c.json(shownPerson(personOf(hub, c.req.param("login")))));
  routes.get("/user", (c) => {
    const { caller } = c.env;
    if (caller.kind !== "person") throw new Refusal(403, "Resource not accessible by integration");
    return c.json(shownPerson(caller.person));
  });

  // Only what decides an author's tier: merged pull requests of one author, in one repository or
  // anywhere.
  routes.get("/search/issues", (c) => {
    const query = c.req.query("q") ?? "";
    const author = /(?:^|\s)author:(\S+)/.exec(query)?.[1];
    const login = author?.replace(/^app\/(.+)$/, "$1[bot]");
    if (!/(?:^|\s)is:merged(?:\s|$)/.test(query) || login === undefined) {
      throw new Refusal(422, "This fake only searches for merged pull requests of an author");
    }
    const person = hub.people.get(login.toLowerCase());
    // Apps are searched by `author:app/NAME`. Source of the words: takanome-dev/assign-issue-action
    // issue 332.
    if (!person || (person.type === "Bot" && author === login)) {
      const message =
        "The listed users cannot be searched either because the users do not exist or you do not have permission to view the users.";
      throw new Refusal(422, "Validation Failed", [{ message, resource: "Search", field: "q", code: "invalid" }]);
    }
    const here = [...hub.repositories.values()].flatMap((one) => one.pulls).filter((pull) => pull.merged);
    const merged = here.filter((pull) => pull.author.login === person.login).length + person.mergedPullRequests;
    return c.json({ total_count: merged, incomplete_results: false, search_type: "lexical", items: [] });
  });

  routes.get("/rate_limit", (c) => {
    const rate = { limit: 5000, used: 1, remaining: 4999, reset: Math.floor(Date.now() / 1000) + 3600 };
    return c.json({ resources: { core: rate, search: { ...rate, limit: 30, remaining: 29 } }, rate });
  });

  return routes;
}

/** What a person may do in a repository. */
export function roleIn(person: Person, { owner, name }: { readonly owner: string; readonly name: string }) {
  return person.inRepository?.[`${owner}/${name}`] ?? person.permission;
}

/** The same as the flags that GitHub shows of it. */
export function rightsOf(role: Person["permission"]) {
  const rank = { none: 0, read: 1, triage: 2, write: 3, maintain: 4, admin: 5 }[role];
  return { pull: rank > 0, triage: rank > 1, push: rank > 2, maintain: rank > 3, admin: rank > 4 };
}

function personOf(hub: Hub, login: string): Person {
  const person = hub.people.get(login.toLowerCase());
  if (!person || person.isGone === true)
    throw new Refusal(404, "Not Found", [{ message: `${WEB}/${login} is nobody` }]);
  return person;
}
