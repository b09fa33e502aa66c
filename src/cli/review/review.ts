// kodiai review: one review, printed in the format asked for; posted only with --comment.

import { UsageError } from "../../config/usage-error.ts";
import { OutOfReach, Transient } from "../../domain/errors.ts";
import { atLeast, type Finding, SEVERITIES, type Severity } from "../../domain/finding.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { isUnreadByModel, quietVerdict, type Review, unreadDiff } from "../../domain/review.ts";
import { SARIF_FILE } from "../../domain/tool-result.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { withoutSecrets } from "../../flows/review/posting.ts";
import type { Stage } from "../../flows/review/review-ports.ts";
import { type postReview, writeReview } from "../../flows/review/review-pull-request.ts";
import { reviewMarkdown } from "../../publish/publish.ts";
import { redact } from "../../wire/secrets.ts";
import { canAsk } from "../asker.ts";
import { subject } from "../subject.ts";
import { shownLines, terminalJson, terminalText } from "../terminal-text.ts";
import { type ExitCode, oneOf, verb } from "../usage.ts";
import { applySuggestions } from "./apply.ts";
import { prettyReview } from "./pretty.ts";
import { type PlainQuestion, plainQuestion, shownPrompts } from "./prompt-text.ts";
import { sarif } from "./sarif.ts";

const FORMATS = ["pretty", "md", "json", "sarif"] as const;
type Format = (typeof FORMATS)[number];

export const review = verb("review", 1, async (values, positionals) => {
  const format = values.json === true ? "json" : oneOf("format", values.format ?? "pretty", FORMATS);
  const failOn = oneOf("fail-on", values["fail-on"] ?? "never", [...SEVERITIES, "never"]);
  if (values.apply === true && values.yes !== true && !canAsk())
    throw new UsageError("--apply asks, and there is no terminal to ask at: add --yes");
  const questions: PlainQuestion[] = [];
  const { job, ports, post } = await subject(values, positionals, (request) => questions.push(plainQuestion(request)));

  let context: PullRequestContext | null = null;
  const isShown = process.stderr.isTTY && format !== "json" && format !== "sarif";
  /** Replaces the last line of the terminal. */
  const show = (text: string) => isShown && process.stderr.write(`\r\u001b[K${text}`);
  const step: Stage = async (name, run) => {
    show(`${name} …`);
    try {
      const value = await run();
      // For code frames.
      if (isContext(value)) context = value;
      return value;
    } finally {
      show("");
    }
  };
  const written = await writeReview(job, ports, step);
  if (written.kind === "skipped") return skipped(written.reason, post !== null, values.outcome);
  const unread = written.degraded.filter(({ part }) => part === SARIF_FILE);
  for (const { reason } of unread) console.error(`kodiai review: ${terminalText(reason)}`);
  if (values["show-prompt"] === true) {
    console.log(shownPrompts(questions, format));
    return unread.length > 0 ? 2 : 0;
  }
  const failed = unreadDiff(written);
  if (failed !== null) console.error(`kodiai review: not reviewed: ${failed}`);
  for (const { part, reason } of written.degraded) {
    if (part === "memory") console.error(`kodiai review: degraded: ${part}: ${terminalText(reason)}`);
  }
  const clean = await withoutSecrets(written, redact);
  console.log(await print(clean, format, context));
  const posted = post === null ? null : await posting(() => post(written, step));
  const findings = clean.findings.map(({ finding }) => finding);
  await writeOutcome(values.outcome, { posted, findings, markdown: reviewMarkdown(clean) });
  if (values.apply === true && context !== null)
    await applySuggestions(clean, context, values.repo ?? ".", values.yes === true);
  if (failed !== null) return 3;
  return unread.length > 0 ? 2 : exitCode(written, failOn);
});

/** What the configuration leaves out is no failure of a workflow that comments. */
async function skipped(reason: string, isComment: boolean, outcome: string | undefined): Promise<ExitCode> {
  console.error(`kodiai review: not reviewed: ${reason}`);
  if (!isComment) return 3;
  const markdown = `Kodiai did not review this pull request: ${reason}.`;
  await writeOutcome(outcome, { posted: null, findings: [], markdown });
  return 0;
}

function exitCode(written: Review, failOn: Severity | "never"): ExitCode {
  if (failOn === "never") return 0;
  if (!isUnreadByModel(written))
    return written.findings.some(({ finding }) => atLeast(finding.severity, failOn)) ? 1 : 0;
  const why = written.degraded.find(({ part }) => part === "model")?.reason ?? "";
  console.error(`kodiai review: the model did not read the change, so --fail-on cannot pass: ${terminalText(why)}`);
  console.error("kodiai review: --model off reviews by rules and memory alone");
  return 3;
}

/** The review's address on GitHub; null if GitHub does not take it: that costs no finding. */
async function posting(post: () => ReturnType<typeof postReview>): Promise<string | null> {
  const notPosted = (reason: string) => {
    console.error(`kodiai review: not posted: ${terminalText(reason)}`);
    return null;
  };
  try {
    const sent = await post();
    if (sent.kind === "superseded") return notPosted(sent.reason);
    if (sent.notRemembered !== null)
      console.error(`kodiai review: not remembered: ${terminalText(sent.notRemembered)}`);
    return sent.summaryUrl;
  } catch (error) {
    if (!(error instanceof OutOfReach || error instanceof Transient)) throw error;
    return notPosted(error.message);
  }
}

/** @throws UsageError when the file cannot be written */
async function writeOutcome(
  file: string | undefined,
  { findings, ...outcome }: { posted: string | null; findings: readonly Finding[]; markdown: string },
): Promise<void> {
  if (file === undefined) return;
  const shown = findings.map(({ path, side, startLine, line, severity, title, body }) => {
    return { path, side, startLine, line, severity, title, body };
  });
  await writeForeignFile(file, [terminalJson({ ...outcome, findings: shown })], { mode: 0o600, replaces: true });
}

async function print(clean: Review, format: Format, context: PullRequestContext | null): Promise<string> {
  if (format === "json") return terminalJson(reviewJson(clean));
  if (format === "sarif") return terminalJson(sarif(clean));
  if (format === "md") return terminalText(reviewMarkdown(clean).trimEnd());
  const paths = new Set(clean.findings.map(({ finding }) => finding.path));
  return prettyReview(clean, context === null ? new Map() : await shownLines(context, paths));
}

function isContext(value: unknown): value is PullRequestContext {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "context";
}

/**
 * The review as JSON, documented in docs/review-json.md. Findings are in the order in which people
 * see them. A change that breaks readers raises `version`.
 */
function reviewJson(review: Review) {
  const { head, rest, held } = quietVerdict(review);
  const { spared: _, ...signals } = review.signals;
  return {
    version: 1,
    verdict: review.findings.length === 0 ? `${head}${rest}${held}` : null,
    findings: review.findings.map(({ finding, place, reason }) => ({ ...finding, place, placeReason: reason })),
    heldBack: review.heldBack.map(({ heldBy: _, ...held }) => held),
    memory: review.memory,
    walkthrough: review.walkthrough,
    coverage: review.coverage,
    signals,
    reviewed: review.reviewed,
    leftOut: review.leftOut.map(({ path, reason }) => ({ path, reason })),
    degraded: review.degraded.map(({ part, reason }) => ({ part, reason })),
    configUsed: review.configUsed,
    configProblems: review.configProblems,
    cost: review.cost,
  };
}
