// A review's replies as each kind of model server sends them, on loopback.

import type { RefusedPart, ReplyForm, ServerId } from "../../scripts/model-matrix.ts";
import { SERVERS } from "../../scripts/model-matrix.ts";
import { says as saysAnthropic } from "../fakes/anthropic/replies.ts";
import type { ModelCall, Reply } from "../fakes/anthropic/server.ts";
import { says, wholeReply } from "../fakes/openai/replies.ts";
import { found, holds, isVerify } from "./review-replies.ts";

/** Whether a request has the part that a server refuses. */
export function has(part: RefusedPart, { body }: ModelCall): boolean {
  const limit = body.max_tokens ?? body.max_completion_tokens;
  if (part === "stream") return body.stream === true;
  if (part === "usage") return body.stream_options !== undefined;
  if (part === "system") return body.system !== undefined || body.messages[0].role === "system";
  if (part === "schema") return body.response_format?.type === "json_schema";
  if (part === "format") return body.response_format !== undefined;
  if (part === "temperature") return body.temperature !== undefined;
  if (part === "limit") return limit > 4_096 && limit !== 5_200;
  if (part === "window") return limit > 8_192 - 3_500;
  // It takes nothing but a model, messages and a limit.
  return Object.keys(body).some((key) => !["model", "messages", "max_tokens", "max_completion_tokens"].includes(key));
}

/** A good answer to a question of a review. */
export function answers(server: ServerId, form: ReplyForm | null = null): (call: ModelCall) => Reply {
  return (call) => {
    const value = isVerify(call) ? holds(call) : found(call);
    const isOpenAi = SERVERS[server].protocol === "openai";
    if (!call.body.stream || form === "whole")
      return isOpenAi ? wholeReply(JSON.stringify(value)) : wholeMessage(value);
    if (form === "untyped") return withType("text/plain", wholeReply(JSON.stringify(value)));
    if (form === "mistyped") return withType("application/json", says(value));
    if (form === "unfinished") return says(value, { finishReason: null });
    if (form === "thought") return says("", { reasoning: JSON.stringify(value) });
    if (form === "parts") return inParts(JSON.stringify(value));
    const text = written(form, value);
    return isOpenAi ? says(text) : saysAnthropic(text);
  };
}

function written(form: ReplyForm | null, value: ReturnType<typeof found> | ReturnType<typeof holds>): string {
  const json = JSON.stringify(value);
  if (form === "harmony")
    return `<|channel|>analysis<|message|>I draft {"findings":[]} first.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${json}<|return|>`;
  if (form === "think") return `<think>Perhaps {"findings":[]}?</think>\n${json}`;
  if (form === "marks") return `[THINK]Perhaps {"findings":[]}?[/THINK]\n${json}`;
  if (form === "fenced") return `Here is my review:\n\n\`\`\`json\n${json}\n\`\`\`\nI hope that it helps.`;
  if (form === "list") return JSON.stringify(value.findings);
  if (form === "words") return JSON.stringify(inOtherWords(value));
  return json;
}

/**
 * As small models write: other words, numbers as text, a field too many, one finding without a
 * path.
 */
function inOtherWords(value: { readonly findings: readonly object[] }): object {
  const findings = value.findings.map((one) => {
    const {
      severity: _,
      category: _other,
      endAnchor: _end,
      ...rest
    } = { endAnchor: null, category: "", severity: "", ...one };
    if (!("true" in rest)) return { ...rest, verdict: "Holds", severity: "HIGH", confidence: "90%", note: "as asked" };
    return { ...rest, severity: "Blocker", category: "Bug / logic", true: "0.9", wanted: "high", effort: 3 };
  });
  return { findings: [...findings, { title: "It has no path", severity: "high" }] };
}

function inParts(text: string): Reply {
  return (response, call) => {
    const chunk = (delta: unknown, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: call.body.model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      chunk({ role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: "{" }] }] }),
    );
    response.write(chunk({ content: [{ type: "text", text: text.slice(0, 40) }] }));
    response.write(chunk({ content: text.slice(40) }));
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  };
}

/** The answer, under another content type. */
function withType(type: string, reply: Reply): Reply {
  return (response, call) => {
    const { writeHead } = response;
    response.writeHead = (status: number) => writeHead.call(response, status, { "content-type": type });
    reply(response, call);
  };
}

function wholeMessage(value: unknown): Reply {
  const content = [{ type: "text", text: JSON.stringify(value) }];
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn" };
  return (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...message, usage: { input_tokens: 100, output_tokens: 20 } }));
}

/** A refusal in the server's words. */
export function refuses(status: number, body: unknown): Reply {
  return (response, call) => {
    const limit = String(call.body.max_tokens ?? call.body.max_completion_tokens);
    const text = typeof body === "string" ? body : JSON.stringify(body).replaceAll("{limit}", limit);
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(status, { "content-type": type }).end(text);
  };
}
