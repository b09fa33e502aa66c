// What a request has once it is past the login.
import type { Context } from "hono";
import type { DashboardPorts } from "./dashboard-ports.ts";

export type Inside = {
  readonly Variables: {
    readonly formToken: string;
    /** As whoever looks may see them. */
    readonly ports: DashboardPorts;
  };
};

/** `HOST/REPO_ID` of an address. */
export function repoOf(c: Context<Inside>): string {
  return `${c.req.param("host")}/${c.req.param("id")}`;
}
