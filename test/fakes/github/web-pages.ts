// What a browser shows of a pull request and of a file, so that links to GitHub lead somewhere in
// the demo.
import { Hono } from "hono";
import type { PostedOnPull } from "../../../scripts/review-page.ts";
import type { Json, Pull } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";
import type { Hub } from "./hub.ts";
import { WEB } from "./shapes.ts";

/** Pages, and no part of the API. */
export const WEB_PATHS = /^\/[^/]+\/[^/]+\/(?:pull|blob)\//;

export function webPages(hub: Hub, git: GitHalf, posted: (pull: Pull) => PostedOnPull): Hono {
  const routes = new Hono();
  routes.get("/:owner/:repo/pull/:number", async (c) => {
    const { owner, repo, number } = c.req.param();
    const pulls = hub.repositories.get(`${owner}/${repo}`.toLowerCase())?.pulls ?? [];
    const pull = pulls.find((one) => String(one.number) === number);
    if (pull === undefined) return c.notFound();
    // Only a visitor needs the Markdown renderer.
    const { reviewPage } = await import("../../../scripts/review-page.ts");
    const page = reviewPage(posted(pull), pull, Number.POSITIVE_INFINITY);
    return c.html(page.replaceAll(`href="${WEB}/`, `href="${hub.apiUrl}/`));
  });
  routes.get("/:owner/:repo/blob/:sha/:path{.+}", async (c) => {
    const { owner, repo, sha, path } = c.req.param();
    const file: Json = await git.ask("GET", `/repos/${owner}/${repo}/contents/${path}?ref=${sha}`);
    return c.text(Buffer.from(String(file.content), "base64").toString());
  });
  return routes;
}
