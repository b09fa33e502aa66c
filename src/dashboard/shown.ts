// A page as an answer, with its frame for the visitor.
import type { Context } from "hono";
import type { DashboardPorts } from "./dashboard-ports.ts";
import { framed, type Page } from "./frame.ts";
import { OUT } from "./parts.ts";

/** What a request has once it is past the login. */
export type Inside = {
  readonly Variables: {
    readonly formToken: string;
    /** As the visitor may see them. */
    readonly ports: DashboardPorts;
  };
};

/** `HOST/REPO_ID` of an address. */
export function repoOf(c: Context<Inside>): string {
  return `${c.req.param("host")}/${c.req.param("id")}`;
}

/**
 * Links to GitHub lead to the server whose API Kodiai asks. It calls itself by another address only where it replaces GitHub,
 * as in the demo.
 *
 * @param version of Kodiai
 */
export async function shown(
  c: Context<Inside>,
  version: string,
  page: Page,
  status: 200 | 401 | 403 | 404 | 429 | 500 | 503 = 200,
): Promise<Response> {
  const around = {
    formToken: c.get("formToken") ?? null,
    viewer: c.get("ports")?.viewer?.login ?? null,
    notice: new Map(Object.entries(NOTICES)).get(c.req.query("done") ?? "") ?? null,
    version,
  };
  const text = String(await framed(page, around));
  const { host, webUrl } = c.get("ports")?.github ?? {};
  return c.html(host === undefined ? text : text.replaceAll(`${OUT}https://${host}/`, `${OUT}${webUrl}/`), status);
}

/** What was just done, by a word in the address: the texts are ours, not those of the address. */
const NOTICES = {
  forgotten: "The memory is forgotten.",
  "not-forgotten": "There was no such memory any more.",
  restored: "Restored: findings like it are said again, from the next review of each pull request on.",
  "not-declined": "Nothing to restore: this memory was not declined.",
  taken: "Marked as taken. Your .kodiai.yml is as you left it.",
  untaken: "Mark removed.",
  retried: "The job waits again and runs at once.",
  "not-retried": "The job was not moved: it runs, a later one of the same pull request waits, or it was deleted.",
} as const;

export type Notice = keyof typeof NOTICES;
