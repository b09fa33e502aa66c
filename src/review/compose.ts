// Builds the prompt: our text in the system part, text by others fenced in the user part, each
// section within its limit. What the questions of a review share comes first, word for word, so
// that a server can cache it.

import { fileList } from "../config/patterns.ts";
import type { PathInstruction } from "../config/repo-config.ts";
import type { ChangeContext } from "../domain/change-context.ts";
import type { Finding } from "../domain/finding.ts";
import { buildRetrievalContextSection, revealedMemory } from "../domain/memory/precedent-section.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { FileCoverage } from "../domain/review.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { listed } from "../domain/text/counted.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { paragraphs } from "../domain/text/paragraphs.ts";
import { type VisibleText, visibleText } from "../domain/text/rendered-markdown.ts";
import { fence, reveal, revealLine } from "../domain/text/untrusted-text.ts";
import { cutAtLine, drawnContext, fitSections, type Section } from "./reading/draw-file.ts";
import { FIRST_QUESTIONS, REVIEW_INSTRUCTIONS, TONE } from "./reading/instructions.ts";
import { orderedFor, type Part, type QuestionBudget } from "./reading/plan-reading.ts";

/** The prompts of one review: the same beginning, and a question for each part in each reading. */
export type ReviewPrompt = ReturnType<typeof compose>;

/** The inputs of the prompt. */
export interface PromptMaterial {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly precedents: Precedents;
  /** Findings of rules, to be confirmed or refuted. */
  readonly ruleFindings: readonly Finding[];
  readonly parts: readonly Part[];
  /** How often each part is read; no reading knows what another one found. */
  readonly readings: number;
  readonly coverage: readonly FileCoverage[];
  readonly around: ChangeContext;
}

/**
 * Composes the questions of a review.
 *
 * @param delimiter unguessable and new: `kodiai-` and at least 16 hex digits
 * @param contextChars UTF-16 units of the sections about the pull request
 */
export function compose(
  material: PromptMaterial,
  delimiter: string,
  { contextChars, aroundChars }: Pick<QuestionBudget, "contextChars" | "aroundChars">,
) {
  const { context, parts, readings } = material;
  const words = authorsWords(context);
  const fitted = fitSections(sections(material, words), contextChars);
  const shared = fitted.sections
    .map(({ heading, text, part }) => `## ${heading}\n${OURS.has(part) ? text : fence(part, text, delimiter)}`)
    .join("\n\n");
  const code = drawnContext(material.around);
  const shownCode = cutAtLine(code, aroundChars);
  const around = shownCode === "" ? "" : `${AROUND}\n\n${fence("code", shownCode, delimiter)}`;
  const opened = [`# The pull request\n\n${shared}`, precedentPart(material, delimiter), around];
  const opening = paragraphs(...opened);
  const language = `# Language\nWrite title, body and walkthrough in ${context.config.review.language}.`;
  const isCut = shownCode.length < code.length;
  return {
    system: [{ text: `${REVIEW_INSTRUCTIONS}\n\n${language}`, cache: true }],
    questions: Array.from({ length: readings }, (_, reading) =>
      parts.map((part, index) => [
        { text: opening, cache: true },
        { text: diffPart(orderedFor(reading, part), index, reading, material, delimiter), cache: false },
      ]),
    ).flat(),
    cut: [...fitted.cut, ...(isCut ? [{ part: "code", shown: shownCode.length, of: code.length }] : [])],
    hidden: hiddenParts(words),
  };
}

const AROUND =
  "# The code around the change\n\nFrom the repository at the head of the pull request, without the lines that the diff shows. No finding can be placed here.";

/** What the author wrote about the change, without what the page hides. */
type Words = Readonly<Record<"description" | "commits", VisibleText>>;

function authorsWords({ pull }: PullRequestContext): Words {
  const messages = pull.commits.map(({ message }) => visibleText(message));
  const text = messages.map((message) => `- ${message.text.trim().replaceAll("\n", "\n  ")}`).join("\n");
  const hidden = messages.reduce((sum, one) => sum + one.hidden, 0);
  return { description: visibleText(pull.body ?? ""), commits: { text, hidden } };
}

function hiddenParts(words: Words) {
  return Object.entries(words).flatMap(([part, { hidden: chars }]) => (chars === 0 ? [] : [{ part, chars }]));
}

/** Our own words, or the base branch's configuration: their instructions count. */
const OURS: ReadonlySet<string> = new Set(["tone", "path-instructions"]);

function sections(material: PromptMaterial, words: Words): readonly Section[] {
  const { context, signals, ruleFindings } = material;
  const { pull, guidance, job } = context;
  const hidden = hiddenParts(words).map(({ part, chars }) => `${chars} characters of the ${part}`);
  const known = signalLines(signals);
  if (hidden.length > 0) known.push(`Hidden on the page, and left out here: ${hidden.join(", ")}`);
  const focus = revealLine(job.focus ?? "").trim();
  const rules = ruleLines(ruleFindings);
  const description = reveal(words.description.text).trim();
  return [
    { part: "focus", heading: "The person who asked wants you to look at", text: focus, most: 1_000, worth: 99 },
    { part: "title", heading: `Title${CLAIMED}`, text: revealLine(pull.title), most: 600, worth: 100 },
    { part: "signals", heading: "What is known about it", text: known.join("\n"), most: 3_000, worth: 95 },
    { part: "tone", heading: "Author", text: TONE[signals.author.tier], most: 600, worth: 94 },
    {
      part: "path-instructions",
      heading: "What this repository asks of reviewers for these paths",
      text: pathInstructions(context),
      most: 6_000,
      worth: 90,
    },
    { part: "rule-findings", heading: "Findings of rules to confirm or refute", text: rules, most: 6_000, worth: 85 },
    { part: "description", heading: `Description${CLAIMED}`, text: description, most: 5_000, worth: 70 },
    { part: "issues", heading: ISSUES, text: issueTexts(context), most: 4_000, worth: 65 },
    { part: "files", heading: "All changed files", text: fileLines(material), most: 5_000, worth: 60 },
    {
      part: "guidance",
      heading: "Conventions of this repository, from its base branch",
      text: guidance.map(({ path, text }) => `(${path})\n${text.trim()}`).join("\n\n"),
      most: 8_000,
      worth: 50,
    },
    { part: "commits", heading: `Commit messages${CLAIMED}`, text: words.commits.text, most: 2_000, worth: 40 },
  ];
}

/** What the author says of the change proves nothing about it. */
const CLAIMED = ": claims to check against the diff";
/** A heading is ours: only the text below it is fenced. */
const ISSUES =
  "Issues that it says it closes. Where the diff plainly does not do what one asks, report that once, on the line that should do it";
const ISSUE_CHARS = 1_800;

function issueTexts({ issues }: PullRequestContext): string {
  return issues
    .flatMap((issue) => (issue.kind === "read" ? [issue] : []))
    .map(({ number, title, body }) => {
      const text = cutText(reveal(visibleText(body.replaceAll("\r\n", "\n")).text).trim(), ISSUE_CHARS);
      return `#${number}: ${revealLine(title)}\n${text}`.trim();
    })
    .join("\n\n");
}

function signalLines({ intent, languages, risks, metrics }: ReviewSignals): string[] {
  const { type, breaking, focusAreas, bump, reverts } = intent;
  const areas = focusAreas.map((area) => cutText(revealLine(area), 60)).join(", ");
  const shares = languages.slice(0, 5).map(({ name, share }) => `${name} ${Math.round(share * 100)} %`);
  return [
    type === null ? "" : `Kind of change, says the title: ${type}`,
    breaking.length === 0 ? "" : "Announced as a breaking change",
    reverts ? "Announced as a revert of an earlier change" : "",
    bump === null ? "" : `Dependency update, step ${bump.step}`,
    focusAreas.length === 0 ? "" : `The author asks to look at: ${areas}`,
    `Size: ${metrics.files} files, ${metrics.added} lines added, ${metrics.removed} removed`,
    shares.length === 0 ? "" : `Languages: ${shares.join(", ")}`,
    ...risks.map(({ text, evidence }) => `Risk: ${text} (${listed(evidence, 5, placeText)})`),
  ].filter((line) => line !== "");
}

function placeText({ path, line }: { readonly path: string; readonly line: number | null }): string {
  return revealLine(line === null ? path : `${path}:${line}`);
}

function ruleLines(findings: readonly Finding[]): string {
  return findings
    .map(
      ({ id, rule, severity, path, line, title }) =>
        `- [${id}] ${severity} ${revealLine(path)}:${line} ${rule ?? ""}: ${revealLine(title)}`,
    )
    .join("\n");
}

/** Files whose lines are values: translations, tables, pictures, recorded output. */
const DATA =
  /\.(?:csv|tsv|jsonl|ndjson|geojson|svg|snap|po|pot|xliff?|arb|resx|strings)$|(?:^|\/)(?:locales?|i18n|translations|fixtures|testdata)\/[^:]+\.(?:json|ya?ml|txt)$/i;

/** Each changed file, and whether the model sees it: shown, in which part, left out, or unread. */
function fileLines({ context, signals, coverage, parts }: PromptMaterial): string {
  const kinds = new Map(signals.files.map(({ path, kind }) => [path, kind]));
  const covered = new Map(coverage.map((one) => [one.path, one]));
  const inParts = new Map<string, number[]>();
  for (const [at, part] of parts.entries())
    for (const { path } of part) inParts.set(path, [...(inParts.get(path) ?? []), at + 1]);
  const shown = (path: string) => {
    const { state = "full", reason = null } = covered.get(path) ?? {};
    if (state === "earlier") return "read at an earlier push";
    if (state === "not-read") return `unread: ${reason}`;
    const at = inParts.get(path);
    if (at === undefined) return "no lines to show";
    const where = parts.length > 1 ? `shown in part ${at.join(", ")}` : "shown";
    return state === "full" ? where : `${where}, not all: ${reason}`;
  };
  return [
    ...context.files.map(({ path, status, additions, deletions }) => {
      const kind = DATA.test(path) ? "data" : kinds.get(path);
      const what = kind === undefined || kind === "source" ? status : `${kind}, ${status}`;
      return `${revealLine(path)} (${what}, +${additions} -${deletions}): ${shown(path)}`;
    }),
    ...context.leftOut.map(({ path, reason }) => `${revealLine(path)}: left out: ${reason}`),
  ].join("\n");
}

function pathInstructions({ files, config }: PullRequestContext): string {
  const paths = files.map(({ path }) => path);
  return matchingInstructions(paths, config.pathInstructions)
    .map(({ instruction: { path, instructions } }) => {
      const globs = [path].flat().map(revealLine).join(", ");
      return `For files that match ${globs}:\n${reveal(instructions).trim()}`;
    })
    .join("\n\n");
}

function precedentPart({ context, precedents }: PromptMaterial, delimiter: string): string {
  const { repo, config } = context;
  return buildRetrievalContextSection(precedents.ranked.map(revealedMemory), {
    maxChars: config.knowledge.retrieval.maxContextChars,
    delimiter,
    repo: `${repo.owner}/${repo.name}`,
  });
}

function diffPart(
  shownPart: Part,
  index: number,
  reading: number,
  { parts, context, coverage }: PromptMaterial,
  delimiter: string,
): string {
  const isWhole = context.leftOut.length === 0 && coverage.every(({ state }) => state === "full");
  let part = isWhole ? "This is the whole diff" : "The diff, without what the list of files says is not shown";
  if (context.past.checkpoint.kind === "delta")
    part = "The parts of the diff that the last push touched; the rest was read before";
  if (parts.length > 1) part = `Part ${index + 1} of ${parts.length} of the diff; other parts are read separately`;
  const diff = shownPart.map(({ text }) => text).join("\n\n");
  return `# ${part}\n\n${fence("diff", diff, delimiter)}\n\nReport the defects of this part. ${FIRST_QUESTIONS[reading] ?? ""}`;
}

/**
 * Path instructions that match a changed path, in the order of the configuration, with these paths.
 *
 * @param paths of the reviewed files
 */
export function matchingInstructions(paths: readonly string[], instructions: readonly PathInstruction[]) {
  return instructions
    .map((instruction) => ({ instruction, files: paths.filter(fileList([instruction.path].flat())) }))
    .filter(({ files }) => files.length > 0);
}
