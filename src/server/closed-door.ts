// In place of the server when its store cannot be used: every request gets 503. GitHub writes down each delivery as failed,
// and they are asked for again once the store is mended. The process stays: starting it again and again would mend nothing.
import { createServer, type Server } from "node:http";
import { closed, listening, urlOf } from "./http-door.ts";

/** Listens. @throws Error when the port is taken */
export async function closedDoor(at: { readonly host: string; readonly port: number }): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const body = JSON.stringify({ ok: false, problem: "the store cannot be used; the log says why and what to do" });
  const server: Server = createServer((request, response) => {
    // What is sent is not read, so the connection ends with it.
    response.writeHead(503, { "content-type": "application/json", connection: "close" }).end(body);
    request.resume();
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await listening(server, at);
  return { url: urlOf(server), close: () => closed(server) };
}
