// A question as a request of OpenAI's chat completions, with the features that this server and this model support.
import type { ReplyShape } from "../../../domain/model.ts";
import { oneText, REMINDER, repairTurns, schemaText } from "../prompt-words.ts";
import { type Dialect, type RequestBody, type Round, type Turn, toolsOf } from "../protocol.ts";

/** Enough to request twelve look-ups, too little for an answer, which would not count. */
const CALL_TOKENS = 2_000;

export function requestBody(turn: Turn): RequestBody {
  const { request, dialect, rounds, repair } = turn;
  const { takes, facts, isOwn } = dialect;
  const tools = toolsOf(turn);
  // OpenAI's models do not think with tools in this protocol: they look up without thinking, and think before they answer.
  const apart = tools.length > 0 && takes.has("effort") && !takes.has("effort-beside-tools");
  const onlyCalls = apart && turn.mayCall;
  // Another server may accept the schema and ignore it.
  const inWords = !onlyCalls && !(isOwn && takes.has("format"));
  const system = oneText([...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])]);
  const user = oneText([...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])]);
  const most = Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens);
  const maxTokens = onlyCalls ? Math.min(most, CALL_TOKENS) : most;
  const prompt = {
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      { role: "user", content: user },
      ...(tools.length === 0 ? [] : rounds.flatMap(lookedUp)),
      ...repairTurns(repair),
    ],
    ...(apart && !onlyCalls ? {} : toolFields(turn)),
  };
  const json = {
    model: dialect.model,
    // OpenAI's current name for the limit, and the earlier name that other servers use.
    [takes.has("limit") === isOwn ? "max_completion_tokens" : "max_tokens"]: maxTokens,
    ...prompt,
    ...(onlyCalls ? {} : responseFormat(request.shape, dialect)),
    ...(takes.has("effort") ? { reasoning_effort: onlyCalls ? "none" : request.effort } : {}),
    ...(takes.has("usage") ? { stream_options: { include_usage: true } } : {}),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
  return { maxTokens, prompt, json, onlyCalls };
}

function toolFields(turn: Turn): Readonly<Record<string, unknown>> {
  const tools = toolsOf(turn);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, jsonSchema }) => ({
      type: "function",
      function: { name, description, parameters: jsonSchema },
    })),
    ...(turn.mayCall ? {} : { tool_choice: "none" }),
  };
}

function lookedUp({ reply, results }: Round): readonly unknown[] {
  const answers = reply.calls.map(({ id }, at) => ({
    role: "tool",
    tool_call_id: id,
    content: (results[at] ?? "").toWellFormed(),
  }));
  return [reply.turn, ...answers];
}

function responseFormat(shape: ReplyShape<unknown>, { takes }: Dialect): Readonly<Record<string, unknown>> {
  if (takes.has("format")) {
    const json_schema = { name: shape.name, strict: true, schema: withoutLimits(shape.jsonSchema) };
    return { response_format: { type: "json_schema", json_schema } };
  }
  return takes.has("json") ? { response_format: { type: "json_object" } } : {};
}

/** Keywords that strict schemas do not allow on every server. `check` enforces them anyway. */
const LIMITS: ReadonlySet<string> = new Set(
  (
    "$schema default format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minItems maxItems uniqueItems"
  ).split(" "),
);

/** The schema with its limits in the descriptions, for the model to read. */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept: Record<string, unknown> = {};
  const limits: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    // Properties may have the names of limits.
    if (key === "properties")
      kept.properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutLimits(one)]));
    else if (!LIMITS.has(key)) kept[key] = withoutLimits(value);
    else if (key !== "$schema") limits.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (limits.length === 0) return kept;
  const description = typeof kept.description === "string" ? `${kept.description} ` : "";
  return { ...kept, description: `${description}{${limits.join(", ")}}` };
}
