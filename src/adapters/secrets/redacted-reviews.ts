// Redacts a comment right before it goes to GitHub: no token, key or password leaves in it.

import type { Replies } from "../../ports/conversation.ts";
import type { Reviews } from "../../ports.ts";
import type { SecretRedactor } from "./redact.ts";

/** Our hidden markers at the end of a comment, which identify it and must not change. */
const MARKERS = /(?<!\s)(?:\s*<!-- kodiai:[a-z]+(?: \w+)* -->)+\s*$/;
const SUGGESTION = /^(`{3,})suggestion$/gm;

/** Reads from `real`; what it writes is redacted. Paths stay: GitHub places comments by them. */
export function redactedReviews(real: Reviews, redactor: SecretRedactor): Reviews {
  const clean = (body: string) => redactBody(body, redactor);
  return {
    head: (repo, number) => real.head(repo, number),
    postedFindings: (repo, number, headSha) => real.postedFindings(repo, number, headSha),
    outsideDiff: (repo, number, comments) => real.outsideDiff(repo, number, comments),
    async postReview(repo, number, headSha, body, comments) {
      const cleaned = await Promise.all(comments.map(async (one) => ({ ...one, body: await clean(one.body) })));
      return real.postReview(repo, number, headSha, await clean(body), cleaned);
    },
    async postFileComment(repo, number, headSha, path, body) {
      return real.postFileComment(repo, number, headSha, path, await clean(body));
    },
    async putSummary(repo, number, marker, body, headSha) {
      return real.putSummary(repo, number, marker, await clean(body), headSha);
    },
    async showProgress(repo, number, line, headSha) {
      return real.showProgress(repo, number, await clean(line), headSha);
    },
    async endProgress(repo, number, instead) {
      return real.endProgress(repo, number, await clean(instead));
    },
  };
}

/** A body without secrets; the hidden markers at its end stay unchanged. */
export async function redactBody(body: string, redactor: SecretRedactor): Promise<string> {
  const at = MARKERS.exec(body)?.index ?? body.length;
  const { text, found } = await redactor.redactMarkdown(body.slice(0, at));
  // A committed suggestion would write the placeholder into the code.
  const shown = found.length === 0 ? text : text.replace(SUGGESTION, "$1");
  return shown + body.slice(at);
}

// Answers are redacted like reviews: no token, key or password leaves in them.

/** Reads from `real`; what it writes is redacted. */
export function redactedReplies(real: Replies, redactor: SecretRedactor): Replies {
  return {
    ...real,
    reply: async (repo, number, to, body) => real.reply(repo, number, to, await redactBody(body, redactor)),
  };
}
