// Asks the model one question of a person: its context is fenced, and the reply is only text.

import { z } from "zod";
import type { Finding } from "../../domain/finding.ts";
import { buildRetrievalContextSection, revealedMemory } from "../../domain/memory/precedent-section.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { RankedMemory } from "../../domain/retrieval.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { fence } from "../../domain/text/untrusted-text.ts";
import { shapeOf } from "../reply.ts";
import { fitSections, type Section } from "./draw-file.ts";
import { ANSWER_INSTRUCTIONS } from "./instructions.ts";

/** A question with its context. Every text is by others. */
export interface Question {
  readonly text: string;
  readonly repo: string;
  readonly title: string;
  /** The file and hunk of the thread. */
  readonly path: string | null;
  readonly hunk: string | null;
  /** The thread, oldest first, without the question. */
  readonly thread: readonly { readonly login: string; readonly isOurs: boolean; readonly body: string }[];
  /** The finding of the thread, or those of the latest review. */
  readonly findings: readonly Finding[];
  readonly walkthrough: string | null;
  readonly precedents: readonly RankedMemory[];
  readonly maxContextChars: number;
  readonly language: string;
}

const AnswerReply = z.strictObject({ answer: z.string() });
type AnswerReply = z.infer<typeof AnswerReply>;
const ANSWER_REPLY = shapeOf("answer", AnswerReply);

/** Characters of everything except the precedents; a thread and a hunk fit many times over. */
const BUDGET = 24_000;
const COMMENT_CHARS = 2_000;
const FINDINGS = 20;
/** Thinking included. */
export const ANSWER_TOKENS = 4_000;

/** The model request for a question. `delimiter` must be unguessable and new. */
export function answerRequest(question: Question, delimiter: string): ModelRequest<AnswerReply> {
  const fitted = fitSections(sections(question), BUDGET);
  const parts = fitted.sections.map(({ heading, text, part }) => `## ${heading}\n${fence(part, text, delimiter)}`);
  const precedents = buildRetrievalContextSection(question.precedents.map(revealedMemory), {
    maxChars: question.maxContextChars,
    delimiter,
    repo: question.repo,
  });
  const user = paragraphs(...parts, precedents);
  return {
    purpose: "answer",
    tier: "main",
    system: [{ text: `${ANSWER_INSTRUCTIONS}\n\n# Language\nWrite the answer in ${question.language}.`, cache: true }],
    user: [{ text: user, cache: false }],
    effort: "low",
    maxOutputTokens: ANSWER_TOKENS,
    shape: ANSWER_REPLY,
  };
}

function sections(question: Question): readonly Section[] {
  const { text, title, path, hunk, thread, findings, walkthrough } = question;
  const code = [path, hunk].filter((part) => part !== null && part !== "").join("\n");
  return [
    { part: "title", heading: "The pull request", text: oneLine(title), most: 600, worth: 60 },
    { part: "walkthrough", heading: "What it does, as a model said", text: walkthrough ?? "", most: 1_500, worth: 30 },
    { part: "hunk", heading: "The code that is spoken about", text: code, most: 8_000, worth: 80 },
    { part: "findings", heading: "What the review found", text: findingLines(findings), most: 8_000, worth: 70 },
    { part: "thread", heading: "The conversation so far", text: spoken(thread), most: 10_000, worth: 50 },
    { part: "question", heading: "The question to answer", text: visibleText(text).text, most: 4_000, worth: 100 },
  ];
}

function findingLines(findings: readonly Finding[]): string {
  return findings
    .slice(0, FINDINGS)
    .map(({ severity, category, path, line, title, body, rule }) => {
      const says = oneLine(cutText(body, 1_000));
      return `- ${severity} ${category} at ${path}:${line}${rule === null ? "" : ` (rule ${rule})`}: ${title}. ${says}`;
    })
    .join("\n");
}

function spoken(thread: Question["thread"]): string {
  const shown = (body: string) => cutText(visibleText(body).text.trim(), COMMENT_CHARS);
  const latest = thread.slice(-20).map(({ login, isOurs, body }) => `${isOurs ? "you" : login} wrote:\n${shown(body)}`);
  return latest.join("\n\n");
}
