// Reads the ground truth from the fake GitHub: what a visitor sees on each pull request, and which
// head it is about.
import type { Pull } from "../test/fakes/github/conversation.ts";
import { threadId } from "../test/fakes/github/feedback-actions.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";
import { nodeId } from "../test/fakes/github/shapes.ts";
import type { PullTruth } from "./ground-truth.ts";
import type { People } from "./people.ts";

/** @param people know its name, whether it needs a review, and whether the App still reaches it */
export async function truthOf(
  world: GitHubWorld,
  pull: Pull,
  { asked, nameOf, desk }: Pick<People, "asked" | "nameOf" | "desk">,
): Promise<PullTruth> {
  const name = nameOf(pull);
  const { reviews, summary, inline, file } = world.comments(pull);
  const isOurs = ({ author }: { readonly author: string }) => author === world.bot.login;
  const said = summary.filter(isOurs);
  const inThreads = [...inline, ...file].filter(isOurs);
  const replies = inThreads.filter(({ inReplyTo }) => inReplyTo !== null);
  const heads = new Map(pull.comments.map(({ id, commitId }) => [id, commitId]));
  return {
    pull: name,
    state: desk.isRemoved(pull.repository) ? "removed" : pull.state,
    head: pull.headSha,
    isAsked: asked.has(name),
    isSpokenTo:
      pull.issueComments.some(({ author, body }) => author.login !== world.bot.login && body.includes("kodiai")) ||
      pull.comments.some(({ author, inReplyTo }) => author.login !== world.bot.login && inReplyTo !== null),
    reviews: reviews
      .filter((one) => isOurs(one) && !standsAlone(pull, one.id))
      .map(({ id, commitId }) => ({ id, head: commitId })),
    summaries: said
      .filter(({ body }) => kindOf(body) === "summary")
      .map(({ id, body }) => ({ id, heads: headsIn(body) })),
    isSilent: pull.reactions.some(({ author, content }) => author.login === world.bot.login && content === "+1"),
    comments: inThreads
      .filter(({ inReplyTo }) => inReplyTo === null)
      .map(({ id, body, path }) => {
        return {
          id,
          finding: `${/kodiai:finding (\w+)/.exec(body)?.[1] ?? body.slice(0, 60)} in ${path}`,
          head: heads.get(id) ?? "",
        };
      }),
    answers: [...said.filter(({ body }) => kindOf(body) !== "summary"), ...replies].map(({ id, body }) => ({
      id,
      to: /kodiai:answer (\w+)/.exec(body)?.[1] ?? body.slice(0, 60),
    })),
    openChecks: await openChecks(world, pull),
    isRefused: desk.isForbidden(pull.repository),
    feedback: feedbackOn(pull, world.bot.login),
  };
}

/** GitHub keeps an answer in a thread, and a comment on a whole file, as a review of its own. */
function standsAlone({ comments }: Pull, review: number): boolean {
  const own = comments.filter(({ reviewId }) => reviewId === review);
  return own.length > 0 && own.every(({ inReplyTo, side }) => inReplyTo !== null || side === null);
}

function feedbackOn(pull: Pull, bot: string): PullTruth["feedback"] {
  return pull.comments.flatMap(({ id, author, body, reactions }) => {
    const finding = /kodiai:finding (\w+)/.exec(body)?.[1];
    if (author.login !== bot || finding === undefined) return [];
    const replies = pull.comments.filter(({ inReplyTo, author: by }) => inReplyTo === id && by.login !== bot);
    return [
      ...reactions.map((one) => ({ finding, key: `reaction:${nodeId("REA", one.id)}` })),
      ...replies.map((one) => ({ finding, key: `reply:${one.id}` })),
      ...(pull.resolved.has(id) ? [{ finding, key: `thread:${threadId(id)}:` }] : []),
    ];
  });
}

function kindOf(body: string): string {
  if (body.includes("<!-- kodiai:summary -->")) return "summary";
  return /<!-- kodiai:(\w+)/.exec(body)?.[1] ?? "unknown";
}

function headsIn(body: string): string[] {
  return [...body.matchAll(/Reviewed \[`([0-9a-f]{7,40})`\]/g)].map(([, head = ""]) => head);
}

async function openChecks(world: GitHubWorld, pull: Pull): Promise<number> {
  const checks = await world.checks(pull).catch(() => []);
  return checks.filter(({ status }) => status !== "completed").length;
}
