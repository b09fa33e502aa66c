// Reads the ground truth from the fake GitHub: what a visitor sees on each pull request, and which head it is about.
import type { Pull } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";
import type { PullTruth } from "./ground-truth.ts";
import type { People } from "./people.ts";

/** @param people who know what it is called, whether anybody asked about it, and whether the App still reaches it */
export async function truthOf(
  world: GitHubWorld,
  pull: Pull,
  { asked, nameOf, desk }: Pick<People, "asked" | "nameOf" | "desk">,
): Promise<PullTruth> {
  const name = nameOf(pull);
  const { reviews, summary, inline, file } = world.comments(pull);
  const isOurs = ({ author }: { readonly author: string }) => author === world.bot.login;
  const said = summary.filter(isOurs);
  const heads = new Map(pull.comments.map(({ id, commitId }) => [id, commitId]));
  return {
    pull: name,
    state: desk.isGone(pull.repository) ? "gone" : pull.state,
    head: pull.headSha,
    isAsked: asked.has(name),
    isSpokenTo: pull.issueComments.some(
      ({ author, body }) => author.login !== world.bot.login && body.includes("kodiai"),
    ),
    reviews: reviews.filter(isOurs).map(({ id, commitId }) => ({ id, head: commitId })),
    summaries: said
      .filter(({ body }) => kindOf(body) === "summary")
      .map(({ id, body }) => ({ id, heads: headsIn(body) })),
    comments: [...inline, ...file].filter(isOurs).map(({ id, body, path }) => {
      return {
        id,
        finding: `${/kodiai:finding (\w+)/.exec(body)?.[1] ?? body.slice(0, 60)} in ${path}`,
        head: heads.get(id) ?? "",
      };
    }),
    answers: said
      .filter(({ body }) => kindOf(body) !== "summary")
      .map(({ id, body }) => ({ id, to: /kodiai:answer (\w+)/.exec(body)?.[1] ?? body.slice(0, 60) })),
    openChecks: await openChecks(world, pull),
  };
}

function kindOf(body: string): string {
  return /<!-- kodiai:(\w+)/.exec(body)?.[1] ?? "unknown";
}

function headsIn(body: string): string[] {
  return [...body.matchAll(/Reviewed \[`([0-9a-f]{7,40})`\]/g)].map(([, head = ""]) => head);
}

async function openChecks(world: GitHubWorld, pull: Pull): Promise<number> {
  const checks = await world.checks(pull).catch(() => []);
  return checks.filter(({ status }) => status !== "completed").length;
}
