// Does answering a question take memory? A table as for pull requests: first hit wins, anything unsure is searched.

import { cutText } from "../domain/cut-text.ts";
import type { GateDecision, MemoryCounts, Strategy } from "../domain/retrieval.ts";
import { smallTalk } from "../domain/small-talk.ts";
import { confident, type GateConfig } from "./gate.ts";
import { type ParsedQuestion, parseQuestion, type QuestionIntent } from "./parse-question.ts";

/** A question about a language or a tool that any book answers, with nothing of this project in it. */
const GENERAL =
  /\b(?:difference between|vs\.?|versus|best practices? for|syntax (?:of|for)|(?:should i|when (?:do|should) (?:i|you|we)) use \S{1,30} (?:or|over|instead of)|what (?:is|are) (?:an? |the )?[\w#+ -]{1,40} in (?:javascript|typescript|python|java|go|golang|rust|ruby|php|c|c\+\+|c#|sql|bash|git|css|html))(?![\w])/i;
/** Words by which a question is about this project after all. */
const HERE =
  /\b(?:we|our|us|here|this|these|that|the (?:code|change|pr|diff|project|repo(?:sitory)?|test|function|class|file)|you|your)\b/i;
/** What a text is that names a file. */
const FILE_AT_END = /\.(?:ts|js|py|go)$/i;

const STRATEGIES: Readonly<Record<Exclude<QuestionIntent, "other">, Strategy>> = {
  debug: "related-files",
  find: "semantic",
  explain: "semantic",
  list: "semantic",
};

interface Rule {
  readonly name: string;
  readonly retrieve: boolean;
  readonly confidence: number;
  readonly strategy: (question: ParsedQuestion) => Strategy | null;
  readonly holds: (text: string, question: ParsedQuestion, at: Asked) => string | null;
}

interface Asked {
  readonly config: GateConfig;
  /** Null when memory could not be counted. */
  readonly counts: MemoryCounts | null;
}

const none = () => null;
const RULES: readonly Rule[] = [
  rule("disabled", true, 1, none, (_, __, { config }) => when(!config.enabled, "the gate is disabled")),
  rule("empty-memory", false, 1, none, (_, __, { counts }) => when(counts?.total === 0, "nothing is remembered yet")),
  rule("retrieve-pattern", true, 0.99, none, (text, _, { config }) => matching(text, config.retrievePatterns)),
  rule("small-talk", false, 0.99, none, (text) => smallTalk(text)),
  rule(
    "named-in-question",
    true,
    0.95,
    () => "keyword",
    (text, { entityMentions }) => {
      const names = cutText(entityMentions.slice(0, 3).join(", "), 120);
      return entityMentions.length > 0 && !isGeneral(text)
        ? `names ${names}`
        : when(FILE_AT_END.test(text.trim()), "names a file");
    },
  ),
  rule("general-question", false, 0.95, none, (text) =>
    when(isGeneral(text), "a general question about programming, not about this project"),
  ),
  rule(
    "project-question",
    true,
    0.9,
    ({ intent }) => (intent === "other" ? null : STRATEGIES[intent]),
    (_, { intent }) => when(intent !== "other", `asks to ${intent}`),
  ),
  rule(
    "ambiguous",
    true,
    0.6,
    () => "hybrid",
    () => "nothing tells whether memory is needed",
  ),
];

function rule(
  name: string,
  retrieve: boolean,
  confidence: number,
  strategy: Rule["strategy"],
  holds: Rule["holds"],
): Rule {
  return { name, retrieve, confidence, strategy, holds };
}

/** Decides about a question. Pure; never throws; a skip below the configured confidence is a search. */
export function questionGate(text: string, config: GateConfig, counts: MemoryCounts | null): GateDecision {
  const question = parseQuestion(text);
  for (const { name, retrieve, confidence, strategy, holds } of RULES) {
    const reason = holds(text, question, { config, counts });
    if (reason === null) continue;
    const said = { retrieve, confidence, reason, strategy: strategy(question), estimatedRelevance: null };
    return confident({ ...said, decidedBy: name }, config);
  }
  const reason = "no rule holds";
  return {
    retrieve: true,
    confidence: 0.5,
    reason,
    strategy: "hybrid",
    estimatedRelevance: null,
    decidedBy: "default",
  };
}

function isGeneral(text: string): boolean {
  return text.length <= 300 && GENERAL.test(text) && !HERE.test(text) && !/[\w-]\.[a-z]{1,4}\b|\(\)|\//.test(text);
}

function matching(text: string, patterns: GateConfig["retrievePatterns"]): string | null {
  const hit = patterns.find(({ matches }) => matches(text.slice(0, 2_000)));
  return hit === undefined ? null : `retrievePatterns: ${hit.source}`;
}

function when(condition: boolean, reason: string): string | null {
  return condition ? reason : null;
}
