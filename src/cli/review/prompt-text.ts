// A prompt for people to read: in full, or its parts with their sizes.
import { estimatedTokens, type ModelRequest } from "../../domain/model.ts";
import { terminalJson } from "../terminal-text.ts";

/** A prompt as JSON, in a stable shape: any model, or a person, can answer it. */
export type PlainQuestion = ReturnType<typeof plainQuestion>;

export function plainQuestion({ purpose, tier, effort, maxOutputTokens, ...request }: ModelRequest<unknown>) {
  const { name, jsonSchema } = request.shape;
  // Texts in order; a server joins them with an empty line or takes them as blocks.
  const system: readonly string[] = request.system.map(({ text }) => text);
  const user: readonly string[] = request.user.map(({ text }) => text);
  const chars = [...system, ...user].reduce((sum, text) => sum + text.length, 0);
  const inputTokens = estimatedTokens(chars);
  return { purpose, tier, effort, maxOutputTokens, inputTokens, system, user, shape: { name, jsonSchema } };
}

export function promptText(title: string, question: PlainQuestion): string {
  const { purpose, tier, effort, maxOutputTokens, inputTokens, system, user, shape } = question;
  const facts = `purpose ${purpose}; model ${tier}; effort ${effort}; about ${inputTokens} tokens in, at most ${maxOutputTokens} out`;
  return [
    `═══ ${title}: ${facts} ═══`,
    "═══ system ═══",
    system.join("\n\n"),
    "═══ user ═══",
    user.join("\n\n"),
    `═══ the reply is one JSON value of this schema (${shape.name}) ═══`,
    JSON.stringify(shape.jsonSchema, null, 2),
    "",
  ].join("\n\n");
}

/** Prompts in the order in which they would be sent: as JSON, or as pages. */
export function shownPrompts(questions: readonly PlainQuestion[], format: string): string {
  if (format === "json") return terminalJson({ version: 1, questions });
  if (questions.length === 0)
    return "no question: there is nothing to read, or the configuration switches the model off";
  return questions.map((question, at) => promptText(`question ${at + 1} of ${questions.length}`, question)).join("\n");
}

/** A line that begins or ends text by others: see domain/text/untrusted-text.ts. */
const FENCE = /^(kodiai-[0-9a-f]{16,})(?: |$)/;

/** The parts of a prompt's user part: one for each heading of ours, none for headings of others. */
export function promptParts({ user }: Pick<PlainQuestion, "user">) {
  /** The heading of each, and its size in UTF-16 units. */
  const parts: { part: string; chars: number }[] = [];
  let fence: string | null = null;
  for (const line of user.join("\n\n").split("\n")) {
    const heading = fence === null ? /^#{1,2} (.{1,120})/.exec(line)?.[1] : undefined;
    if (heading !== undefined) parts.push({ part: heading, chars: 0 });
    const delimiter = FENCE.exec(line)?.[1] ?? null;
    if (fence === null) fence = delimiter;
    else if (fence === delimiter) fence = null;
    const last = parts.at(-1);
    if (last !== undefined) last.chars += line.length + 1;
  }
  return parts;
}
