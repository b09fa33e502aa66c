// Texts for a server that does not enforce a reply's schema, and to correct a reply.
import type { PromptPiece, ReplyShape } from "../../domain/model.ts";
import { cutText } from "../../domain/text/cut-text.ts";

/** An unusable reply, and why: the model is asked once to correct it. */
export interface Repair {
  readonly reply: string;
  readonly problem: string;
}

/** A broken reply may be long; its beginning is enough for the model. */
const MAX_SHOWN_REPLY = 50_000;

/** The shape of the reply, for the system part of the prompt. */
export function schemaText(shape: ReplyShape<unknown>): string {
  return `Your reply is read by a program. Reply with one JSON object and nothing else: no words around it, no code fence, no comments. It must fit this JSON Schema (${shape.name}):

${JSON.stringify(shape.jsonSchema)}`;
}

/** The end of a prompt that begins with {@link schemaText}. */
export const REMINDER = "Reply now with the one JSON object alone.";

/** The two turns that request a correction; none without one. */
export function repairTurns(
  repair: Repair | null,
): readonly { readonly role: "assistant" | "user"; readonly content: string }[] {
  if (repair === null) return [];
  const reply = cutText(repair.reply, MAX_SHOWN_REPLY).toWellFormed().trim();
  const problem = cutText(repair.problem, 2_000).toWellFormed();
  return [
    { role: "assistant", content: reply === "" ? "(nothing)" : reply },
    {
      role: "user",
      content: `That reply cannot be used: ${problem}. Send the whole reply again as one JSON object of the shape asked for, and nothing else.`,
    },
  ];
}

/** Servers refuse blank texts. */
export function isBlank(piece: PromptPiece): boolean {
  return !/\S/.test(piece.text);
}

/** The pieces as one text. Replaces unpaired surrogates, which some servers refuse. */
export function oneText(pieces: readonly PromptPiece[]): string {
  return pieces
    .filter((piece) => !isBlank(piece))
    .map(({ text }) => text.toWellFormed())
    .join("\n\n");
}
