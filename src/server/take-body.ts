// Reads the body of a delivery before anybody believes it: bounded, because whoever sends it has proved nothing yet.
import type { IncomingMessage, ServerResponse } from "node:http";

/** GitHub sends at most 25 MB: docs.github.com, "Webhook events and payloads". */
const MAX_BODY_BYTES = 25 * 1024 * 1024;

/**
 * Reads the whole body and leaves it at `request.body`, where Probot takes it from.
 *
 * @returns true when the request was answered here: 413 for more than GitHub sends, 400 for what cannot be a payload
 */
export async function takeBody(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
): Promise<boolean> {
  const body = await read(request);
  if (body === null) return refuse(response, 413, `a delivery has at most ${MAX_BODY_BYTES} bytes`);
  const text = new TextDecoder().decode(body);
  if (!/^\s{0,100}\{/.test(text)) return refuse(response, 400, "a delivery is a JSON object");
  request.body = text;
  return false;
}

/** Null when there is more than MAX_BODY_BYTES; the rest is not read. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, status: number, error: string): true {
  // What was not read must not be taken for the next request.
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, headers).end(JSON.stringify({ error }));
  return true;
}
