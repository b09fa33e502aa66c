// kodiai retract: takes a bad review back. Prints what it did, or with --dry-run what it would do.

import { UsageError } from "../../config/usage-error.ts";
import { counted } from "../../domain/text/counted.ts";
import { retractReview, type TakenBack } from "../../flows/review/retract-review.ts";
import { type RetractWords, retractVerbPorts } from "../../wire/cli/retract.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, printed, readWords, withPorts } from "../usage.ts";
import { VERBS } from "../verbs.ts";

const PULL_URL =
  /^https?:\/\/([^/\s]+)\/([\w.-]+)\/([\w.-]+)\/pull\/(\d{1,10})(?:\/[^#\s]*)?(?:#pullrequestreview-(\d{1,15}))?$/;
const SHORT = /^([\w.-]+)\/([\w.-]+)#(\d{1,10})$/;

/** @returns 0; 3 when there is nothing to take back @throws UsageError */
export async function retract(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.retract.options, 1);
  const named = readSubject(positionals[0]);
  const reviewId = readReview(values.review) ?? named.reviewId;
  return withPorts(retractVerbPorts({ ...named, dataDir: values["data-dir"] }), async (ports) => {
    const rehearse = values["dry-run"] === true;
    const done = await retractReview({ repo: ports.repo, number: named.number, reviewId, rehearse }, ports);
    printed(values.json === true, { rehearsal: rehearse, ...done }, () =>
      terminalText("nothing" in done ? `nothing was done: ${done.nothing}` : report(done, rehearse)),
    );
    return "nothing" in done ? 3 : 0;
  });
}

function readSubject(word: string | undefined): Omit<RetractWords, "dataDir"> & { readonly reviewId: number | null } {
  if (word === undefined) throw new UsageError("name the review: its URL, or OWNER/NAME#N");
  const [, host = "", owner = "", name = "", number = "", review] = PULL_URL.exec(word) ?? [];
  if (owner !== "") {
    return { host: host.toLowerCase(), owner, name, number: Number(number), reviewId: readReview(review) };
  }
  const short = SHORT.exec(word);
  if (short === null) throw new UsageError(`${JSON.stringify(word)} is neither the URL of a review nor OWNER/NAME#N`);
  return { host: null, owner: short[1] ?? "", name: short[2] ?? "", number: Number(short[3]), reviewId: null };
}

function readReview(word: string | undefined): number | null {
  if (word === undefined) return null;
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new UsageError("--review takes the number at the end of a review's URL");
  return Number(word);
}

function report({ headSha, hidden, left, summaryUrl, forgotten }: TakenBack, rehearse: boolean): string {
  const would = rehearse ? "would be " : "";
  return [
    `the review of ${headSha.slice(0, 7)} ${rehearse ? "would be" : "is"} taken back`,
    ...hidden.map(({ kind, url, findingIds }) =>
      `  ${would}hidden: ${kind} ${findingIds.join(" ")} ${url}`.replace("  http", " http"),
    ),
    ...left.map(({ kind, url }) => `  left: ${kind} ${url}; the App may not hide it; hide it by hand`),
    summaryUrl === null ? "  summary: nothing to change" : `  ${would}edited: summary ${summaryUrl}`,
    `  ${would}forgotten: ${counted(forgotten, "memory", "memories")}`,
  ].join("\n");
}
