// The few fields of a comment's webhook that Kodiai reads, for the three events in which people write.
import { z } from "zod";
import { Author, Repository, User } from "./delivery.ts";

const Pull = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish().catch(undefined),
  state: z.enum(["open", "closed"]),
  locked: z.boolean().optional(),
  user: Author,
});
const PullWithHead = Pull.extend({ head: z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }) });
const Around = z.object({ action: z.string(), installation: z.object({ id: z.int() }), repository: Repository });
const Written = z.object({
  id: z.int().positive(),
  body: z.string().nullable(),
  user: User,
  html_url: z.string(),
  /** Set where an App wrote it, in the name of the user. */
  performed_via_github_app: z.unknown().optional(),
});

export const ConversationDelivery = Around.extend({
  issue: Pull.extend({ pull_request: z.unknown().optional() }),
  comment: Written.extend({ created_at: z.string() }),
});

export const ThreadDelivery = Around.extend({
  pull_request: PullWithHead,
  comment: Written.extend({
    created_at: z.string(),
    in_reply_to_id: z.int().nullish(),
    path: z.string(),
    diff_hunk: z.string().nullish(),
  }),
});

export const ReviewDelivery = Around.extend({
  pull_request: PullWithHead,
  review: Written.extend({ submitted_at: z.string().nullish() }),
});

/** What the three have in common. */
export type Surroundings = z.infer<typeof Around>;
export type CommentedPull = z.infer<typeof Pull>;
export type Written = z.infer<typeof Written>;
