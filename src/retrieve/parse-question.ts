// A question in a comment: what it wants to know, and which things in the code it names.
import { namedThings } from "./named-things.ts";

/** What a question wants. `other` is everything that the words do not tell. */
export type QuestionIntent = "find" | "explain" | "list" | "debug" | "other";

export interface ParsedQuestion {
  readonly intent: QuestionIntent;
  /** Backticks, paths, calls, PascalCase, camelCase and snake_case names; each once. */
  readonly entityMentions: readonly string[];
}

/** Questions are a few lines; what follows is code or a log. */
const READ = 2_000;

/** In order: trouble asks for more than an explanation, whatever word it begins with. */
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

/** Reads a question. Linear in the text, of which the first 2,000 characters count. */
export function parseQuestion(text: string): ParsedQuestion {
  const read = text.slice(0, READ);
  const intent = INTENTS.find(([, pattern]) => pattern.test(read))?.[0] ?? "other";
  return { intent, entityMentions: namedThings(read) };
}
