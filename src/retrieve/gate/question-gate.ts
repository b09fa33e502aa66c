// Decides whether answering a question needs memory, by a table like that for pull requests: the
// first match wins, doubtful questions are searched.

import { type GateDecision, type MemoryCounts, NOTHING_REMEMBERED, type Strategy } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { smallTalk } from "../../domain/text/low-information.ts";
import { namedThings } from "./code-identifiers.ts";
import { confident, type GateConfig, namesText, retrievePattern, shareIn, skipPattern, when } from "./gate.ts";

/** A general question about a language or a tool, without anything of this project. */
const GENERAL =
  /\b(?:difference between|vs\.?|versus|best practices? for|syntax (?:of|for)|(?:should i|when (?:do|should) (?:i|you|we)) use \S{1,30} (?:or|over|instead of)|what (?:is|are) (?:an? |the )?[\w#+ -]{1,40} in (?:javascript|typescript|python|java|go|golang|rust|ruby|php|c|c\+\+|c#|sql|bash|git|css|html))(?![\w])/i;
/** Words that make a question about this project after all. */
const HERE =
  /\b(?:we|our|us|here|this|these|that|the (?:code|change|pr|diff|project|repo(?:sitory)?|test|function|class|file)|you|your)\b/i;
/** The end of a text that names a file. */
const FILE_AT_END = /\.(?:ts|js|py|go)$/i;

const GENERAL_REASON = "a general question about programming, not about this project";

const STRATEGIES: Readonly<Record<QuestionIntent, Strategy | null>> = {
  debug: "related-files",
  find: "semantic",
  explain: "semantic",
  list: "semantic",
  other: null,
};

/** A rule that applies to a question: it decides unless its reason is null. */
type Rule = readonly [
  name: string,
  retrieve: boolean,
  confidence: number,
  strategy: Strategy | null,
  reason: string | null,
];

export interface GatedQuestion {
  readonly text: string;
  /** The file of its thread, or null. */
  readonly path: string | null;
  readonly languages: ReviewSignals["languages"];
  /** The conversation before it, oldest first. */
  readonly before: readonly string[];
  /** Title and description of its pull request; "" without one. */
  readonly description: string;
}

/**
 * Decides about a question. Pure; never throws; a skip below the configured confidence is a search.
 * A general question is searched when the last message before it names something of the project.
 *
 * @param counts null when memory could not be counted
 */
export function questionGate(question: GatedQuestion, config: GateConfig, counts: MemoryCounts | null): GateDecision {
  const { text, path, languages, before, description } = question;
  const { intent, entityMentions } = parseQuestion(text);
  const general = isGeneral(text);
  const names = general ? null : namesText(entityMentions);
  const earlier = because("the conversation before it", before.at(-1) ?? "");
  const read = text.slice(0, READ);
  const rules: readonly Rule[] = [
    ["disabled", true, 1, null, when(!config.enabled, "the gate is disabled")],
    ["empty-memory", false, 1, null, when(counts?.total === 0, NOTHING_REMEMBERED)],
    [
      "retrieve-pattern",
      true,
      0.99,
      null,
      retrievePattern(path === null ? [read] : [read, path], config.retrievePatterns),
    ],
    ["skip-pattern", false, 0.99, null, skipPattern([read], config.skipPatterns, "the question")],
    ["small-talk", false, 0.99, null, smallTalk(text)],
    ["named-in-question", true, 0.95, "keyword", names ?? when(FILE_AT_END.test(text.trim()), "names a file")],
    ["named-before", true, 0.95, "keyword", general ? earlier : null],
    ["general-question", false, 0.95, null, when(general, GENERAL_REASON)],
    ["project-question", true, 0.9, STRATEGIES[intent], when(intent !== "other", `asks to ${intent}`)],
    ["asked-in-thread", true, 0.8, "related-files", path === null ? null : `asked about ${cutText(path, 120)}`],
    ["named-around", true, 0.8, "keyword", earlier ?? because("the description", description)],
  ];
  const found = rules.find(([, , , , reason]) => reason !== null);
  const undecided = ["ambiguous", true, 0.6, "hybrid", null] as const;
  const [decidedBy, retrieve, confidence, strategy, reason] = found ?? undecided;
  const decision = {
    retrieve,
    confidence,
    reason: reason ?? "undecided whether memory is needed",
    strategy,
    decidedBy,
  };
  return confident({ ...decision, estimatedRelevance: retrieve ? shareIn(languages, counts) : 0 }, config);
}

/** What a text around the question names; null when nothing. */
function because(where: string, text: string): string | null {
  const names = namesText(parseQuestion(text).entityMentions);
  return names === null ? null : `${where} ${names}`;
}

function isGeneral(text: string): boolean {
  return text.length <= 300 && GENERAL.test(text) && !HERE.test(text) && !/[\w-]\.[a-z]{1,4}\b|\(\)|\//.test(text);
}

/** The intent of a question. `other` when the words do not determine it. */
type QuestionIntent = "find" | "explain" | "list" | "debug" | "other";

/** Questions are a few lines; the rest is code or a log. */
const READ = 2_000;

/** In order: a problem needs more than an explanation, whichever word the question begins with. */
const INTENTS: readonly (readonly [Exclude<QuestionIntent, "other">, RegExp])[] = [
  [
    "debug",
    /\b(?:debug(?:ging)?|bugs?|errors?|exceptions?|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|broken|hangs?|deadlocks?|leaks?|stack ?trace|regressions?|not working|does(?:n't| not) work|wrong with|goes wrong|went wrong)\b/i,
  ],
  [
    "list",
    /\b(?:list|enumerate|which (?:\w+ ){0,3}(?:are|have|use|call)|what are (?:all|the)|all (?:the )?(?:\w+ ){0,2}(?:that|which|of))\b/i,
  ],
  ["find", /\b(?:find|where|locate|search for|look for|show me|which file|defined|who calls|used)\b/i],
  [
    "explain",
    /\b(?:explain|why|how (?:does|do|did|is|are|can|could|should|would)|what (?:does|do|did|is|was|happens|happened)|describe|mean(?:s|t)?|reason|purpose)\b/i,
  ],
];

/**
 * Parses a question. Linear in the text, of which the first 2,000 characters count.
 *
 * @returns `entityMentions`: backticks, paths, calls, PascalCase, camelCase and snake_case names;
 * each once
 */
export function parseQuestion(text: string) {
  const read = text.slice(0, READ);
  const intent = INTENTS.find(([, pattern]) => pattern.test(read))?.[0] ?? ("other" as const);
  return { intent, entityMentions: namedThings(read) };
}
