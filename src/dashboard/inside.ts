// What a request has once it is past the login.
import type { Context } from "hono";

export type Inside = { readonly Variables: { readonly formToken: string } };

/** `HOST/REPO_ID` of an address. */
export function repoOf(c: Context<Inside>): string {
  return `${c.req.param("host")}/${c.req.param("id")}`;
}
