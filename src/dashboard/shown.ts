// A page as an answer: with what stands around it for whoever looks.
import type { Context } from "hono";
import { framed, type Page } from "./frame.ts";
import type { Inside } from "./inside.ts";
import { notice } from "./notices.ts";

/** @param version of Kodiai */
export async function shown(
  c: Context<Inside>,
  version: string,
  page: Page,
  status: 200 | 401 | 403 | 404 | 429 | 500 | 503 = 200,
): Promise<Response> {
  const around = {
    formToken: c.get("formToken") ?? null,
    viewer: c.get("ports")?.viewer?.login ?? null,
    notice: notice(c.req.query("done")),
    version,
  };
  return c.html(await framed(page, around), status);
}
