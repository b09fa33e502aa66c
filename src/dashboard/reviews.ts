// Written reviews, newest first: who opened the change, what each review said, held back and cost.

import { html } from "hono/html";
import { SEVERITIES } from "../domain/finding.ts";
import type { Review } from "../domain/review.ts";
import { counted } from "../domain/text/counted.ts";
import { reviewPath } from "./addresses.ts";
import { type Page, pager, repositoryChooser } from "./frame.ts";
import {
  badge,
  type Content,
  dollars,
  duration,
  empty,
  type Html,
  moment,
  num,
  severityBadge,
  shortSha,
  table,
  whole,
  wide,
} from "./parts.ts";
import type { ReviewsView } from "./read-overview.ts";

/** A written review as the ledger keeps it. */
interface WrittenReview {
  readonly key: string;
  readonly review: Review;
  readonly writtenAt: number;
  readonly settledAt: number | null;
  readonly outcome: string | null;
}

export function reviewsPage({ choice, total, reviews, page, pages }: ReviewsView): Page {
  const { repositories, chosen } = choice;
  const name = repositories.find(({ key }) => key === chosen)?.name ?? null;
  return {
    title: name === null ? "Reviews" : `Reviews of ${name}`,
    section: "reviews",
    body: html`<h1>Reviews${name === null ? "" : ` of ${name}`}</h1>${repositoryChooser("/reviews", choice)}${
      total === 0
        ? empty(
            "No review was written yet.",
            "Open a pull request in a repository with the App, or ask for a review there: /kodiai review.",
          )
        : html`<p class="note">${counted(total, "review")}, newest first</p>${table(
            "Reviews",
            ["Pull request", wide("What it does"), "Said", num("Held back"), "Outcome", "Written"],
            reviews.map(line),
          )}${pager("/reviews", chosen === null ? {} : { repo: chosen }, page, pages)}`
    }`,
  };
}

function line({ key, review, writtenAt, outcome }: WrittenReview): readonly Content[] {
  return [
    html`<a href="${reviewPath(key, review.headSha)}">${pullName(review)}</a> <span class="note">${review.author ?? ""} ${shortSha(review.headSha)}</span>`,
    review.signals.intent.subject,
    said(review),
    whole(review.heldBack.length),
    outcomeBadge(outcome),
    html`${moment(writtenAt)} <span class="note">took ${duration(review.cost.ms)}${review.cost.usd === 0 ? "" : `, ${dollars(review.cost.usd)}`}</span>`,
  ];
}

export function pullName({ repo, number }: Review): string {
  return `${repo.owner}/${repo.name}#${number}`;
}

/** `1 critical, 3 major`; "nothing" without findings. */
function said({ findings }: Review): Content {
  const counts = SEVERITIES.map(
    (severity) => [severity, findings.filter(({ finding }) => finding.severity === severity).length] as const,
  );
  const shown = counts.filter(([, count]) => count > 0);
  return shown.length === 0
    ? "nothing"
    : shown.map(([severity, count]) => html`${severityBadge(severity, `${count} ${severity}`)} `);
}

export function outcomeBadge(outcome: string | null): Html {
  if (outcome === null) return badge("not settled", "warn");
  return badge(outcome, outcome === "posted" ? "good" : "plain");
}
