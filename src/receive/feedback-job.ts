// Deliveries after which people may have done something about a finding of ours -> a job that looks. Reactions are never
// delivered: a schedule covers them, and whatever was missed.
import { z } from "zod";
import { type FeedbackJob, feedbackKey, type Repo } from "../domain/job.ts";
import { type Delivery, Repository, User } from "./delivery.ts";
import { readCommand } from "./read-command.ts";

const FeedbackDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  sender: User,
  pull_request: z.object({ number: z.int().positive() }),
  comment: z.object({ in_reply_to_id: z.int().nullish(), body: z.string().nullish() }).nullish(),
  thread: z.object({ node_id: z.string().max(200) }).nullish(),
});

/** `EVENT ACTION` → what it is called in the job. */
const TRIGGERS: ReadonlyMap<string, string> = new Map([
  ["pull_request_review_comment created", "reply"],
  ["pull_request_review_thread resolved", "resolved"],
  ["pull_request_review_thread unresolved", "unresolved"],
  ["pull_request_review dismissed", "dismissed"],
  ["pull_request closed", "closed"],
]);

/**
 * @param slug the app's own name, without `[bot]`
 * @param repoOf the repository of a payload, in our words
 * @returns null when nothing is to be learnt from it; never throws, whatever the payload is
 */
export function feedbackJob(
  { id, event, payload }: Delivery,
  slug: string,
  repoOf: (repository: z.infer<typeof Repository>) => Repo,
): FeedbackJob | null {
  const { data } = FeedbackDelivery.safeParse(payload);
  const trigger = data === undefined ? undefined : TRIGGERS.get(`${event} ${data.action}`);
  if (data === undefined || trigger === undefined) return null;
  const { sender, thread, comment } = data;
  if (trigger === "reply" && !(isReply(comment) && isPerson(sender) && !isOrder(comment?.body ?? "", slug)))
    return null;
  const repo = repoOf(data.repository);
  const { number } = data.pull_request;
  const by = { id: sender.id, login: sender.login };
  const unresolved = trigger === "unresolved" && thread ? { threadId: thread.node_id, by } : null;
  return {
    kind: "feedback",
    key: feedbackKey(repo, number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    number,
    trigger,
    ...(unresolved === null ? {} : { unresolved }),
  };
}

type FeedbackDelivery = z.infer<typeof FeedbackDelivery>;

/** Only a reply can be about something that we said. */
function isReply(comment: FeedbackDelivery["comment"]): boolean {
  return typeof comment?.in_reply_to_id === "number";
}

/** What bots write teaches nothing. */
function isPerson({ type }: FeedbackDelivery["sender"]): boolean {
  return (type ?? "User") === "User";
}

/** What a command says about a finding is noted where it is obeyed; a question may be an answer as well. */
function isOrder(body: string, slug: string): boolean {
  const command = readCommand(body, slug);
  return command?.kind === "verb" && command.verb !== "ask";
}
