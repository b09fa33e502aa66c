// How GitHub orders and cuts the lists of a whole repository.
import type { Json } from "./conversation.ts";
import type { RouteContext } from "./hub.ts";

/**
 * By `sort`, `direction` and `since` of the query; `since` looks at when something was last
 * updated.
 */
export function inOrder(c: RouteContext, items: readonly Json[]): Json[] {
  const sort = c.req.query("sort") === "updated" ? "updated_at" : "created_at";
  const since = Date.parse(c.req.query("since") ?? "1970-01-01T00:00:00Z");
  const kept = items.filter((item) => Date.parse(String(item.updated_at)) >= since);
  // Without `sort` GitHub lists by id, and then takes no direction.
  const way = c.req.query("sort") !== undefined && c.req.query("direction") === "desc" ? -1 : 1;
  const rank = (item: Json) => Date.parse(String(item[sort]));
  return kept.toSorted((a, b) => way * (rank(a) - rank(b) || Number(a.id) - Number(b.id)));
}
