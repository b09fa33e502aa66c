// kodiai review: one review, printed in the format asked for; nothing is posted.
import { atLeast, SEVERITIES, type Severity } from "../domain/finding.ts";
import type { Review } from "../domain/review.ts";
import { type Step, writeReview } from "../flows/review-pull-request.ts";
import { reviewMarkdown } from "../publish/publish.ts";
import { prettyReview } from "./pretty.ts";
import { reviewJson } from "./review-json.ts";
import { sarif } from "./sarif.ts";
import { SUBJECT_OPTIONS, subject } from "./subject.ts";
import { type ExitCode, oneOf, readWords } from "./usage.ts";

const FORMATS = ["pretty", "md", "json", "sarif"] as const;
export type Format = (typeof FORMATS)[number];

/** @throws UsageError, or whatever kept the review from being written */
export async function review(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, { ...SUBJECT_OPTIONS, "fail-on": { type: "string" } });
  const format = values.json === true ? "json" : oneOf("format", values.format ?? "pretty", FORMATS);
  const failOn = values["fail-on"] === undefined ? null : oneOf("fail-on", values["fail-on"], SEVERITIES);
  const { job, ports } = await subject(values, positionals);

  const texts = new Map<string, string>();
  const written = await writeReview(job, ports, progress(texts));
  if (written.kind === "skipped") {
    console.error(`kodiai review: not reviewed: ${written.reason}`);
    return 3;
  }
  console.log(print(written, format, texts));
  return failOn !== null && meets(written, failOn) ? 1 : 0;
}

function print(written: Review, format: Format, texts: ReadonlyMap<string, string>): string {
  switch (format) {
    case "json":
      return JSON.stringify(reviewJson(written), null, 2);
    case "sarif":
      return JSON.stringify(sarif(written), null, 2);
    case "md":
      return reviewMarkdown(written);
    case "pretty":
      return prettyReview(written, texts);
  }
}

function meets(written: Review, failOn: Severity): boolean {
  return written.findings.some(({ finding }) => atLeast(finding.severity, failOn));
}

/** Says on a terminal which room is entered, and keeps the text of changed files for code frames. */
function progress(texts: Map<string, string>): Step {
  return async (room, enter) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${room} …`);
    try {
      const value = await enter();
      keepTexts(value, texts);
      return value;
    } finally {
      if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    }
  };
}

function keepTexts(value: unknown, texts: Map<string, string>): void {
  if (typeof value !== "object" || value === null || !("headTexts" in value) || !(value.headTexts instanceof Map))
    return;
  for (const [path, text] of value.headTexts as Map<string, string>) texts.set(path, text);
}
