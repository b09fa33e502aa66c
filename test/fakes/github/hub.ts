// What all routes of one world share: its people, repositories and pull requests, and how to find
// and page them.
import type { Context } from "hono";
import type { Caller } from "./access.ts";
import type { ReadChanges } from "./changes.ts";
import { isJson, type Json, type Person, type Pull, Refusal, type Repository } from "./conversation.ts";
import type { Hooks } from "./hooks.ts";

export interface Hub {
  /** Where the app reaches this world; set when the server listens. */
  apiUrl: string;
  /** By lower-case OWNER/NAME. */
  readonly repositories: Map<string, Repository>;
  /** By login. */
  readonly people: Map<string, Person>;
  /** By owner login. */
  readonly installations: ReadonlyMap<string, number>;
  /** Former OWNER/NAME, in lower case → the repository's id. */
  readonly formerNames: Map<string, number>;
  /** Ids of repositories that no installation reaches any more. */
  readonly withdrawn: Set<number>;
  readonly changes: ReadChanges;
  readonly hooks: Hooks;
  readonly nextId: () => number;
  /** What lists show by now: GitHub shows some of what was written a moment later. */
  readonly listed: <T extends { readonly id: number }>(items: readonly T[]) => readonly T[];
}

export type RouteEnv = { Bindings: { caller: Caller } };
export type RouteContext = Context<RouteEnv>;

/** GitHub's limit for the body of a review, a comment, a summary. */
export const BODY_LIMIT = 65_536;

export function pullOf(hub: Hub, c: RouteContext): Pull {
  const number = Number(c.req.param("number"));
  const pull = repositoryOf(hub, c).pulls.find((one) => one.number === number);
  if (!pull) throw new Refusal(404, "Not Found");
  return pull;
}

export function repositoryOf(hub: Hub, c: RouteContext): Repository {
  const repository = hub.repositories.get(`${c.req.param("owner")}/${c.req.param("repo")}`.toLowerCase());
  if (!repository) throw new Refusal(404, "Not Found");
  return repository;
}

/** Whoever asks, as the author of what they write. */
export function authorOf(c: RouteContext): Person {
  const { caller } = c.env;
  if (caller.kind === "app") throw new Refusal(403, "Resource not accessible by integration");
  return caller.person;
}

/** One page of a list, with GitHub's Link header: 30 a page, 100 at most. */
export function paged<T>(
  hub: Hub,
  c: RouteContext,
  items: readonly T[],
  show: (page: readonly T[]) => unknown,
): Response {
  const perPage = Math.min(100, Math.max(1, Number(c.req.query("per_page") ?? 30)));
  const page = Math.max(1, Number(c.req.query("page") ?? 1));
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const url = new URL(c.req.url);
  const link = (target: number, rel: string) => {
    const query = new URLSearchParams(url.search);
    query.set("page", String(target));
    return `<${hub.apiUrl}${url.pathname}?${query}>; rel="${rel}"`;
  };
  const before = page > 1 ? [link(page - 1, "prev"), link(1, "first")] : [];
  const after = page < last ? [link(page + 1, "next"), link(last, "last")] : [];
  const links = [...before, ...after].join(", ");
  return c.json(show(items.slice((page - 1) * perPage, page * perPage)), 200, links === "" ? {} : { link: links });
}

export async function bodyOf(c: RouteContext): Promise<Json> {
  const text = await c.req.text();
  const body: unknown = text === "" ? {} : JSON.parse(text);
  if (!isJson(body)) throw new Refusal(422, "Invalid request.");
  return body;
}

/** A text that GitHub would store, or its 422. */
export function textOf(body: Json, resource: string): string {
  const text = body.body;
  if (typeof text !== "string" || text.trim() === "")
    throw invalid(resource, "body", "missing_field", "body can't be blank");
  return checkLength(text, resource);
}

export function checkLength(text: string, resource: string): string {
  // GitHub counts characters, not UTF-16 units.
  if ([...text].length > BODY_LIMIT) {
    throw invalid(resource, "body", "custom", `body is too long (maximum is ${BODY_LIMIT} characters)`);
  }
  return text;
}

export function invalid(resource: string, field: string, code: string, message: string): Refusal {
  return new Refusal(422, "Validation Failed", [{ resource, code, field, message }]);
}
