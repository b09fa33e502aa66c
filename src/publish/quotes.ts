// A quote of an earlier comment: who, a link to where, when, the outcome, and the sentence.
import type { Precedent, Quote } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import type { SeenBefore } from "../domain/retrieval.ts";
import { linkTo } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

/** Visible code points of a quote. */
const QUOTED = 200;

type Quoted = Quote & (Pick<Precedent, "url" | "outcome" | "decided" | "date" | "reason"> | Omit<SeenBefore, "path">);

/**
 * `ines on [#1](…) (2026-03-02, fixed): *Give subprocess.run a list.*`
 *
 * @returns one line of inert Markdown
 */
export function quoteLine(repo: Pick<Repo, "host">, said: Quoted): string {
  const { author, pull, quote, date, outcome, decided } = said;
  const reason = "reason" in said ? said.reason : undefined;
  const who = author === undefined ? "Kodiai" : sanitizeInline(author, 60);
  const known = outcome === "unknown" || outcome === "posted" ? "" : outcome;
  const became = [known, decided ?? ""].filter((part) => part !== "").join(" ");
  const when = [sanitizeInline(date, 10), sanitizeInline(became, 240)].filter((part) => part !== "").join(", ");
  const words = sanitizeInline(quote ?? reason ?? "", QUOTED);
  const where = `${who} ${placeOfQuote(repo, said.url, pull)}`.trim();
  return `${where}${when === "" ? "" : ` (${when})`}${words === "" ? "" : `: *${words}*`}`;
}

function placeOfQuote(repo: Pick<Repo, "host">, url: string | null, pull: number | undefined): string {
  const name = pull === undefined ? "earlier" : `#${pull}`;
  const link = linkTo(repo, name, url);
  if (link !== null) return pull === undefined ? link : `on ${link}`;
  // A place that is not linked is shown as text: where it was said is half of what the quote says.
  if (url !== null && url !== "") return `at ${codeSpan(url, 120)}`;
  return pull === undefined ? name : `on ${codeSpan(name)}`;
}

/** References to the pull requests of these memories, which the sanitizer has made code, as links. */
export function withPullLinks(repo: Pick<Repo, "host">, markdown: string, precedents: readonly Precedent[]): string {
  return precedents.reduce((text, { pull, url }) => {
    const link = linkTo(repo, `#${pull}`, url);
    return link === null || pull === undefined ? text : text.replace(`what \`#${pull}\` fixed`, `what ${link} fixed`);
  }, markdown);
}
