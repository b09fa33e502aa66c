// A question as a request of the Messages API, with the features that this server and this model support.

import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import type { ModelRequest, PromptPiece, ReplyShape } from "../../../domain/model.ts";
import { isBlank, oneText, REMINDER, repairTurns, schemaText } from "../prompt-words.ts";
import { type Dialect, type RequestBody, type Round, type Turn, toolsOf } from "../protocol.ts";

interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl: "5m" };
}

/** The API refuses more breakpoints. */
const MAX_BREAKPOINTS = 4;

export function requestBody(turn: Turn): RequestBody {
  const { request, dialect, repair } = turn;
  const { takes, facts } = dialect;
  const inWords = !takes.has("format");
  const tools = toolsOf(turn);
  const system = [...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])];
  const asked = [...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])];
  // Each round of look-ups reads all of it again.
  const user =
    tools.length === 0
      ? asked
      : asked.map((piece, at) => ({ ...piece, cache: piece.cache || at === asked.length - 1 }));
  const marked = breakpoints([...system, ...user], takes.has("cache"));
  const blocks = (pieces: readonly PromptPiece[], from: number) =>
    takes.has("cache") ? textBlocks(pieces, from, marked) : oneText(pieces);
  const instructions = blocks(system, 0);
  const maxTokens = Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens);
  const prompt = {
    ...(instructions.length === 0 ? {} : { system: instructions }),
    ...toolFields(turn),
    messages: [
      { role: "user", content: blocks(user, system.length) },
      ...(tools.length === 0 ? [] : turn.rounds.flatMap(lookedUp)),
      ...repairTurns(repair),
    ],
  };
  const json = {
    model: dialect.model,
    max_tokens: maxTokens,
    ...prompt,
    ...outputConfig(request, dialect),
    ...thinkingOff(request, dialect),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
  return { maxTokens, prompt, json, onlyCalls: false };
}

/** Tools stay in the request when no more calls are allowed: the API requires them beside earlier calls. */
function toolFields(turn: Turn): Readonly<Record<string, unknown>> {
  const tools = toolsOf(turn);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, jsonSchema }) => ({ name, description, input_schema: jsonSchema })),
    ...(turn.mayCall ? {} : { tool_choice: { type: "none" } }),
  };
}

function lookedUp({ reply, results }: Round): readonly unknown[] {
  const content = reply.calls.map(({ id }, at) => ({
    type: "tool_result",
    tool_use_id: id,
    content: (results[at] ?? "").toWellFormed(),
  }));
  return [
    { role: "assistant", content: reply.turn },
    { role: "user", content },
  ];
}

function outputConfig(request: ModelRequest<unknown>, { takes, facts }: Dialect): Readonly<Record<string, unknown>> {
  const effort = takes.has("effort") && facts.effort ? { effort: request.effort } : {};
  const output = { ...effort, ...(takes.has("format") ? { format: outputFormat(request.shape) } : {}) };
  return Object.keys(output).length === 0 ? {} : { output_config: output };
}

/** Short questions need no thinking, which would cost time. */
function thinkingOff(request: ModelRequest<unknown>, { takes, facts }: Dialect): Readonly<Record<string, unknown>> {
  const isQuick = request.tier === "small" && request.effort === "low" && takes.has("thinking");
  return isQuick && facts.thinkingOff !== null ? { thinking: { type: facts.thinkingOff } } : {};
}

/** The positions of the last four pieces that end a prefix: the longest prefixes save the most. */
function breakpoints(pieces: readonly PromptPiece[], isSupported: boolean): ReadonlySet<number> {
  const places = pieces.flatMap((piece, place) => (piece.cache && !isBlank(piece) ? [place] : []));
  return new Set(isSupported ? places.slice(-MAX_BREAKPOINTS) : []);
}

function textBlocks(pieces: readonly PromptPiece[], from: number, marked: ReadonlySet<number>): readonly TextBlock[] {
  // The API refuses blank blocks, and unpaired surrogates anywhere.
  return pieces.flatMap((piece, place): TextBlock[] =>
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
}

/** Limits that the API refuses, such as `minLength`, move into the descriptions; `check` enforces them anyway. */
function outputFormat(shape: ReplyShape<unknown>): unknown {
  const { type, schema } = jsonSchemaOutputFormat({ ...shape.jsonSchema, type: "object" });
  return { type, schema };
}
