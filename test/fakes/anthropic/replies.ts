// What a model's server may answer: whole messages as events, and every way of going wrong.
import type { ServerResponse } from "node:http";
import type { Reply } from "./server.ts";

export interface SaidHow {
  /** `end_turn` without it; null sends none. */
  readonly stopReason?: string | null;
  /** Of `refusal`. */
  readonly category?: string;
  /** As the API counts: what is neither written to nor read from the cache. */
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly cache_creation_input_tokens?: number;
    readonly cache_read_input_tokens?: number;
  };
  /** A thinking block before the answer. */
  readonly thinking?: string;
}

const USAGE = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** The model says a text, or a value as JSON, streamed in small pieces with a ping among them. */
export function says(answer: unknown, how: SaidHow = {}): Reply {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return (response, call) => {
    begin(response);
    for (const event of events(text, how, call.body.model)) response.write(event);
    response.end();
  };
}

export const refuses = (category = "cyber"): Reply => says("", { stopReason: "refusal", category });
/** max_tokens in the middle of a sentence. */
export const isCut = (text = '{"findings":[{"title":"Unbounded re'): Reply => says(text, { stopReason: "max_tokens" });

/** An error as the API words it; for other servers' words give `body`. */
export function fails(
  status: number,
  more: {
    readonly type?: string;
    readonly message?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  } = {},
): Reply {
  const error = { type: more.type ?? TYPES.get(status) ?? "api_error", message: more.message ?? "No." };
  const body = more.body ?? JSON.stringify({ type: "error", error, request_id: "req_011" });
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...more.headers }).end(body);
}

const TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

/** Begins well and breaks off with an `error` event. */
export function errorEvent(type = "overloaded_error", text = '{"findings":['): Reply {
  return (response, call) => {
    begin(response);
    for (const event of events(text, {}, call.body.model).slice(0, 4)) response.write(event);
    response.end(sse("error", { type: "error", error: { type, message: "Overloaded" } }));
  };
}

/** Never answers. */
export const hangs: Reply = () => {};

/** Says the beginning and then nothing, keeping the line open. */
export function stalls(text = '{"findings":['): Reply {
  return (response, call) => {
    begin(response);
    for (const event of events(text, {}, call.body.model).slice(0, 4)) response.write(event);
  };
}

/** Pings for ever and says nothing. */
export function pingsOnly(everyMs = 20): Reply {
  return (response) => {
    begin(response);
    const timer = setInterval(() => response.write(sse("ping", { type: "ping" })), everyMs);
    response.on("close", () => clearInterval(timer));
  };
}

/** Says the beginning and cuts the connection. */
export function breaksOff(text = '{"findings":['): Reply {
  return (response, call) => {
    begin(response);
    for (const event of events(text, {}, call.body.model).slice(0, 4)) response.write(event);
    setTimeout(() => response.destroy(), 10);
  };
}

/** Ends the stream in good order after the beginning: a proxy's work. */
export function endsEarly(text = '{"findings":[]}'): Reply {
  return (response, call) => {
    begin(response);
    const all = events(text, {}, call.body.model);
    response.end(all.slice(0, -2).join(""));
  };
}

/** A page with status 200. */
export const page: Reply = (response) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Sign in</p>");

/** A body of the given type, whatever it holds. */
export function body(text: string, type = "text/event-stream"): Reply {
  return (response) => void response.writeHead(200, { "content-type": type }).end(text);
}

/** A whole message although a stream was asked for. */
export function wholeMessage(text: string, stop_reason = "end_turn"): Reply {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text }],
    stop_reason,
    usage: USAGE,
  };
  return body(JSON.stringify(message), "application/json");
}

/** As small servers do it: no usage, no stop details, no `message_stop`. */
export function bareStream(text: string): Reply {
  return body(
    [
      sse("message_start", { type: "message_start", message: { id: "x", role: "assistant" } }),
      sse("content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
      sse("message_delta", { type: "message_delta", delta: { stop_reason: "end_turn" } }),
    ].join(""),
  );
}

export const resets: Reply = (response) => void response.destroy();

export function redirects(location: string, status = 307): Reply {
  return (response) => void response.writeHead(status, { location }).end();
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_011" });
}

/** The events of a message, in the order and shape in which the API sends them. */
export function events(text: string, how: SaidHow, model: string): readonly string[] {
  const usage = { ...USAGE, ...how.usage };
  const message = { id: "msg_011", type: "message", role: "assistant", model, content: [], stop_reason: null };
  const thinking = how.thinking === undefined ? [] : thought(how.thinking);
  const index = thinking.length === 0 ? 0 : 1;
  const pieces = text.match(/[\s\S]{1,24}/g) ?? [];
  const stop_reason = how.stopReason === undefined ? "end_turn" : how.stopReason;
  const stop_details =
    how.category === undefined ? null : { type: "refusal", category: how.category, explanation: null };
  const delta = (piece: string) =>
    sse("content_block_delta", { type: "content_block_delta", index, delta: { type: "text_delta", text: piece } });
  return [
    sse("message_start", {
      type: "message_start",
      message: { ...message, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    }),
    ...thinking,
    sse("content_block_start", { type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    sse("ping", { type: "ping" }),
    ...pieces.map(delta),
    sse("content_block_stop", { type: "content_block_stop", index }),
    sse("message_delta", {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details },
      usage: { output_tokens: usage.output_tokens },
    }),
    sse("message_stop", { type: "message_stop" }),
  ];
}

function thought(thinking: string): readonly string[] {
  const block = { type: "thinking", thinking: "", signature: "" };
  return [
    sse("content_block_start", { type: "content_block_start", index: 0, content_block: block }),
    sse("content_block_delta", {
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking },
    }),
    sse("content_block_stop", { type: "content_block_stop", index: 0 }),
  ];
}

function sse(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
