// Decides whether answering a question needs memory, by a table like that for pull requests: the first match wins,
// doubtful questions are searched.

import { type GateDecision, type MemoryCounts, NOTHING_REMEMBERED, type Strategy } from "../../domain/retrieval.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { smallTalk } from "../../domain/text/low-information.ts";
import { namedThings } from "./code-identifiers.ts";
import { confident, type GateConfig, retrievePattern, when } from "./gate.ts";

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

/**
 * Decides about a question. Pure; never throws; a skip below the configured confidence is a search.
 *
 * @param counts null when memory could not be counted
 */
export function questionGate(text: string, config: GateConfig, counts: MemoryCounts | null): GateDecision {
  const { intent, entityMentions } = parseQuestion(text);
  const isNaming = entityMentions.length > 0 && !isGeneral(text);
  const names = isNaming ? `names ${cutText(entityMentions.slice(0, 3).join(", "), 120)}` : null;
  const rules: readonly Rule[] = [
    ["disabled", true, 1, null, when(!config.enabled, "the gate is disabled")],
    ["empty-memory", false, 1, null, when(counts?.total === 0, NOTHING_REMEMBERED)],
    ["retrieve-pattern", true, 0.99, null, retrievePattern([text.slice(0, READ)], config.retrievePatterns)],
    ["small-talk", false, 0.99, null, smallTalk(text)],
    ["named-in-question", true, 0.95, "keyword", names ?? when(FILE_AT_END.test(text.trim()), "names a file")],
    ["general-question", false, 0.95, null, when(isGeneral(text), GENERAL_REASON)],
    ["project-question", true, 0.9, STRATEGIES[intent], when(intent !== "other", `asks to ${intent}`)],
  ];
  const found = rules.find(([, , , , reason]) => reason !== null);
  const undecided = ["ambiguous", true, 0.6, "hybrid", null] as const;
  const [decidedBy, retrieve, confidence, strategy, reason] = found ?? undecided;
  const because = reason ?? "undecided whether memory is needed";
  return confident({ retrieve, confidence, reason: because, strategy, estimatedRelevance: null, decidedBy }, config);
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
 * @returns `entityMentions`: backticks, paths, calls, PascalCase, camelCase and snake_case names; each once
 */
export function parseQuestion(text: string) {
  const read = text.slice(0, READ);
  const intent = INTENTS.find(([, pattern]) => pattern.test(read))?.[0] ?? ("other" as const);
  return { intent, entityMentions: namedThings(read) };
}
