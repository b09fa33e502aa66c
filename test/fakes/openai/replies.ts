// What a server of OpenAI's chat completions may answer: whole replies as chunks, and its own ways
// of going wrong.
import type { Reply } from "../anthropic/server.ts";

export interface SaidHow {
  /** `stop` without it; null sends none. */
  readonly finishReason?: string | null;
  /** Instead of the answer. */
  readonly refusal?: string;
  readonly usage?: {
    readonly prompt_tokens?: unknown;
    readonly completion_tokens?: unknown;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
  };
  /** As DeepSeek and vLLM stream thoughts. */
  readonly reasoning?: string;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** The model says a text, or a value as JSON, streamed in small pieces. */
export function says(answer: unknown, how: SaidHow = {}): Reply {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return (response, call) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_011" });
    for (const one of chunks(text, how, call.body.model)) response.write(one);
    response.end("data: [DONE]\n\n");
  };
}

/** An error as OpenAI words it. */
export function fails(
  status: number,
  error: { readonly message?: string; readonly type?: string; readonly code?: string; readonly param?: string } = {},
  headers: Record<string, string> = {},
): Reply {
  const body = { error: { message: "No.", type: "invalid_request_error", param: null, code: null, ...error } };
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Begins well and breaks off with an error. */
export function errorChunk(error: unknown): Reply {
  return (response, call) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const one of chunks('{"findings":[', {}, call.body.model).slice(0, 2)) response.write(one);
    response.end(`data: ${JSON.stringify({ error })}\n\n`);
  };
}

/** Ends the stream in good order after the beginning. */
export function endsEarly(text = '{"findings":[]}'): Reply {
  return (response, call) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunks(text, { finishReason: null }, call.body.model).slice(0, -1).join(""));
  };
}

/** Says the beginning and then nothing, keeping the line open. */
export function stalls(text: string): Reply {
  return (response, call) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const one of chunks(text, { finishReason: null }, call.body.model).slice(0, -1)) response.write(one);
  };
}

/** A whole reply although a stream was asked for. */
export function wholeReply(text: string, finish_reason = "stop"): Reply {
  const message = { role: "assistant", content: text, refusal: null };
  const reply = { id: "chatcmpl-1", object: "chat.completion", choices: [{ index: 0, message, finish_reason }] };
  return (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...reply, usage: USAGE }));
}

/**
 * The chunks of a reply, in the order and shape in which OpenAI sends them; the last one counts the
 * tokens.
 */
function chunks(text: string, how: SaidHow, model: string): readonly string[] {
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    data(model, { choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
  const said = how.refusal === undefined ? text : "";
  const stop = how.finishReason === undefined ? "stop" : how.finishReason;
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...(how.reasoning === undefined ? [] : [chunk({ reasoning_content: how.reasoning })]),
    ...(said.match(/[\s\S]{1,24}/g) ?? []).map((content) => chunk({ content })),
    ...(how.refusal === undefined ? [] : [chunk({ refusal: how.refusal })]),
    chunk({}, stop),
    data(model, { choices: [], usage: { ...USAGE, ...how.usage } }),
  ];
}

function data(model: string, more: unknown): string {
  const head = { id: "chatcmpl-011", object: "chat.completion.chunk", created: 1_790_000_000, model };
  return `data: ${JSON.stringify({ ...head, ...(more as object) })}\n\n`;
}
