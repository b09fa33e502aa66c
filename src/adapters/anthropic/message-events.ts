// A whole message as the stream of events that the SDK reads.

/** @param message as the API's non-streaming answer has it; only its text blocks are told */
export function messageEvents(message: Readonly<Record<string, unknown>>): string {
  const { content, stop_reason, stop_details, usage, ...head } = message;
  const texts = (Array.isArray(content) ? content : []).map(textOf).filter((text) => text !== null);
  const blocks = texts.flatMap((text, index) => [
    event("content_block_start", { index, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index, delta: { type: "text_delta", text } }),
    event("content_block_stop", { index }),
  ]);
  return [
    event("message_start", { message: { ...head, content: [], stop_reason: null, usage } }),
    ...blocks,
    event("message_delta", { delta: { stop_reason, stop_details }, usage }),
    event("message_stop", {}),
  ].join("");
}

function textOf(block: unknown): string | null {
  if (typeof block !== "object" || block === null) return null;
  const { type, text } = block as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : null;
}

function event(type: string, rest: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
