// Answers pass the same last gate as reviews: no token, key or password leaves in them.
import type { Replies } from "../../ports/talk.ts";
import type { SecretRedactor } from "./redact.ts";
import { redactBody } from "./redacted-reviews.ts";

/** Reads through to `real`; what it writes is redacted. */
export function redactedReplies(real: Replies, redactor: SecretRedactor): Replies {
  return {
    ...real,
    reply: async (repo, number, to, body) => real.reply(repo, number, to, await redactBody(body, redactor)),
  };
}
