// Deliveries after which people may have done something about a finding of ours -> a job that looks. Reactions are never
// delivered: a schedule covers them, and whatever was missed.
import { z } from "zod";
import { type FeedbackJob, feedbackKey, type Repo } from "../domain/job.ts";
import { type Delivery, Repository, User } from "./delivery.ts";

const FeedbackDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  sender: User,
  pull_request: z.object({ number: z.int().positive() }),
  comment: z.object({ in_reply_to_id: z.int().nullish() }).nullish(),
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
 * @param repoOf the repository of a payload, in our words
 * @returns null when nothing is to be learnt from it; never throws, whatever the payload is
 */
export function feedbackJob(
  { id, event, payload }: Delivery,
  repoOf: (repository: z.infer<typeof Repository>) => Repo,
): FeedbackJob | null {
  const { data } = FeedbackDelivery.safeParse(payload);
  const trigger = data === undefined ? undefined : TRIGGERS.get(`${event} ${data.action}`);
  if (data === undefined || trigger === undefined) return null;
  const { sender, thread, comment } = data;
  // Only a reply can be about something that we said; what bots write teaches nothing.
  const isReply = typeof comment?.in_reply_to_id === "number" && (sender.type ?? "User") === "User";
  if (trigger === "reply" && !isReply) return null;
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
