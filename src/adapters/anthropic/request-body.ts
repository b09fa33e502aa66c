// A question in the words of the Messages API, with as much as this server and this model take.

import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import type { ModelRequest, PromptPiece, ReplyShape } from "../../domain/model.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Feature } from "./call-failed.ts";
import type { ModelFacts } from "./model-facts.ts";

interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl: "5m" };
}

/** What we send; a part of what the API takes, and `temperature`, which only other servers do. */
export interface RequestBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string | readonly TextBlock[];
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: string | readonly TextBlock[];
  }[];
  readonly output_config?: Readonly<Record<string, unknown>>;
  readonly thinking?: { readonly type: string };
  readonly temperature?: number;
}

/** How to speak to a server about a model. */
export interface Dialect {
  readonly model: string;
  readonly facts: ModelFacts;
  readonly takes: ReadonlySet<Feature>;
  /** null: left to the server. */
  readonly temperature: number | null;
}

/** A reply that could not be used, and why: the model is asked once to mend it. */
export interface Repair {
  readonly reply: string;
  readonly problem: string;
}

/** The API refuses more breakpoints. */
const MAX_BREAKPOINTS = 4;
/** A broken reply may be long; its beginning shows the model what it did. */
const MAX_SHOWN_REPLY = 50_000;

export function requestBody(request: ModelRequest<unknown>, dialect: Dialect, repair: Repair | null): RequestBody {
  const { takes, facts } = dialect;
  const inWords = !takes.has("format");
  const system = [...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])];
  const user = [...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])];
  const marked = breakpoints([...system, ...user], takes.has("cache"));
  const blocks = (pieces: readonly PromptPiece[], from: number) => textBlocks(pieces, from, marked, takes.has("cache"));
  const instructions = blocks(system, 0);
  return {
    model: dialect.model,
    max_tokens: Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens),
    ...(instructions.length === 0 ? {} : { system: instructions }),
    messages: [{ role: "user", content: blocks(user, system.length) }, ...repairTurns(repair)],
    ...outputConfig(request, dialect),
    ...thinkingOff(request, dialect),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
}

function outputConfig(request: ModelRequest<unknown>, { takes, facts }: Dialect): Pick<RequestBody, "output_config"> {
  const effort = takes.has("effort") && facts.effort ? { effort: request.effort } : {};
  const output = { ...effort, ...(takes.has("format") ? { format: outputFormat(request.shape) } : {}) };
  return Object.keys(output).length === 0 ? {} : { output_config: output };
}

/** Short questions need no thinking, and pay for it in time. */
function thinkingOff(request: ModelRequest<unknown>, { takes, facts }: Dialect): Pick<RequestBody, "thinking"> {
  const isQuick = request.tier === "small" && request.effort === "low" && takes.has("thinking");
  return isQuick && facts.thinkingOff !== null ? { thinking: { type: facts.thinkingOff } } : {};
}

/** The places of the last four pieces that end a prefix: the longest prefixes save the most. */
function breakpoints(pieces: readonly PromptPiece[], isTaken: boolean): ReadonlySet<number> {
  const places = pieces.flatMap((piece, place) => (piece.cache && !isBlank(piece) ? [place] : []));
  return new Set(isTaken ? places.slice(-MAX_BREAKPOINTS) : []);
}

/** Where no breakpoints are taken, servers may know no blocks either: one text is understood by all. */
function textBlocks(
  pieces: readonly PromptPiece[],
  from: number,
  marked: ReadonlySet<number>,
  asBlocks: boolean,
): string | readonly TextBlock[] {
  // The API refuses blank blocks, and half of a surrogate pair anywhere.
  const blocks = pieces.flatMap((piece, place): TextBlock[] =>
    isBlank(piece)
      ? []
      : [
          {
            type: "text",
            text: piece.text.toWellFormed(),
            ...(marked.has(from + place) ? { cache_control: { type: "ephemeral", ttl: "5m" } } : {}),
          },
        ],
  );
  return asBlocks ? blocks : blocks.map(({ text }) => text).join("\n\n");
}

function isBlank(piece: PromptPiece): boolean {
  return !/\S/.test(piece.text);
}

/** Limits such as `minLength`, which the API refuses, are moved into the descriptions; `check` holds them all the same. */
function outputFormat(shape: ReplyShape<unknown>): unknown {
  const { type, schema } = jsonSchemaOutputFormat({ ...shape.jsonSchema, type: "object" });
  return { type, schema };
}

function schemaText(shape: ReplyShape<unknown>): string {
  return `Your reply is read by a program. Reply with one JSON object and nothing else: no words around it, no code fence, no comments. It must fit this JSON Schema (${shape.name}):

${JSON.stringify(shape.jsonSchema)}`;
}

const REMINDER = "Reply now with the one JSON object alone.";

function repairTurns(repair: Repair | null): RequestBody["messages"] {
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
