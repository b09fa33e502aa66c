// Replies on files: recorded from a real server once, replayed without one. For tests, evaluation and the demo.

import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Middleware } from "@anthropic-ai/sdk";
import type { ModelRequest } from "../../domain/model.ts";
import { withoutDelimiters } from "../without-delimiters.ts";
import { CallFailed } from "./call-failed.ts";
import { gatherEvents, type Said } from "./gather-events.ts";
import type { Repair } from "./request-body.ts";
import { messageEvents } from "./stream-fetch.ts";

/** Stands in the way of every attempt. */
export type Tape = (request: ModelRequest<unknown>, model: string, repair: Repair | null) => Middleware;

/** Asks the server and keeps each whole reply in a file of `folder`; failures are not kept. A reply is written anew each time. */
export function recordingTape(folder: string): Tape {
  return (request, model, repair) => async (sent, next, context) => {
    const response = await next(sent);
    if (!response.ok) return response;
    const gathering = gatherEvents();
    try {
      // A copy: the response itself is still unread.
      for await (const event of await context.parse<AsyncIterable<unknown>>(response)) gathering.add(event);
    } catch {
      return response;
    }
    const said = gathering.said();
    if (said.isWhole) await write(recordingPath(folder, request, repair), recording(request, model, repair, said));
    return response;
  };
}

/** Answers from the files of `folder` and reaches no server. What it says it cost is what the recorded request cost. */
export function replayingTape(folder: string): Tape {
  return (request, _model, repair) => async () => {
    const path = recordingPath(folder, request, repair);
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) throw new CallFailed("unreachable", `there is no recorded reply at ${path}`);
    const message = messageOf(text);
    if (message === null) throw new CallFailed("unreachable", `the recorded reply at ${path} cannot be read`);
    return new Response(messageEvents(message), { headers: { "content-type": "text/event-stream" } });
  };
}

/**
 * Where the reply to a question is kept: its purpose and a hash of what it means, which is tier, prompt, shape and repair, but
 * neither model nor server, nor the delimiters (`kodiai-` and 16 or more hexadecimal digits) that are new for each prompt.
 */
export function recordingPath(folder: string, request: ModelRequest<unknown>, repair: Repair | null): string {
  const { name, jsonSchema } = request.shape;
  const meaning = [request.tier, joined(request.system), joined(request.user), name, jsonSchema, repair];
  const hash = createHash("sha256")
    .update(withoutDelimiters(JSON.stringify(meaning)))
    .digest("hex");
  return join(folder, `${request.purpose}-${hash.slice(0, 16)}.json`);
}

function joined(pieces: readonly { readonly text: string }[]): string {
  return pieces.map(({ text }) => text).join("\n\n");
}

/** For people: the question in lines, and a reply that is JSON as JSON. */
function recording(request: ModelRequest<unknown>, model: string, repair: Repair | null, said: Said): unknown {
  const { fresh, cacheWrite, cacheRead, output } = said.tokens;
  return {
    question: {
      purpose: request.purpose,
      tier: request.tier,
      model,
      shape: request.shape.name,
      system: withoutDelimiters(joined(request.system)).split("\n"),
      user: withoutDelimiters(joined(request.user)).split("\n"),
      ...(repair === null ? {} : { repair }),
    },
    reply: {
      stop_reason: said.stopReason,
      ...(said.refusal === null ? {} : { stop_details: { category: said.refusal } }),
      usage: {
        input_tokens: fresh,
        cache_creation_input_tokens: cacheWrite,
        cache_read_input_tokens: cacheRead,
        output_tokens: output,
      },
      ...replyText(said.text),
    },
  };
}

function replyText(text: string): { readonly json: unknown } | { readonly text: readonly string[] } {
  try {
    const json: unknown = JSON.parse(text);
    if (JSON.stringify(json) === text) return { json };
  } catch {
    // Prose, or broken.
  }
  return { text: text.split("\n") };
}

function messageOf(file: string): Record<string, unknown> | null {
  try {
    const { question, reply } = JSON.parse(file);
    const text = reply.json === undefined ? reply.text.join("\n") : JSON.stringify(reply.json);
    const { stop_reason, stop_details, usage } = reply;
    return {
      type: "message",
      role: "assistant",
      model: question.model,
      content: [{ type: "text", text }],
      stop_reason,
      stop_details,
      usage,
    };
  } catch {
    return null;
  }
}

/** Two questions of the same meaning may be asked at once: a file is whole or not there. */
async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`);
  await rename(draft, path);
}
