// A real HTTP server on loopback that answers by script and remembers what reached it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export type Answer = (response: ServerResponse, request: Received) => void;

export interface ScriptedServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly received: Received[];
  /** What the next requests get, one each; the last answer stays. */
  script(...answers: Answer[]): void;
  close(): Promise<void>;
}

export async function scriptedServer(): Promise<ScriptedServer> {
  const received: Received[] = [];
  let answers: Answer[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const got: Received = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) };
      received.push(got);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      (answer ?? status(501))(response, got);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script(...next) {
      answers = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function status(code: number, headers: Record<string, string> = {}, body = '{"detail":"no"}'): Answer {
  return (response) => void response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);
}

export function text(body: string, contentType = "application/json"): Answer {
  return (response) => void response.writeHead(200, { "content-type": contentType }).end(body);
}

export const json = (body: unknown): Answer => text(JSON.stringify(body));

/** Never answers. */
export const hang: Answer = () => {};

/** Sends the headers and the beginning, and never the rest. */
export const stall: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"object":"list","data":[');
};

/** Cuts the connection in the middle of a body. */
export const cutOff: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
  response.write('{"object":"list","data":[');
  setTimeout(() => response.destroy(), 10);
};

export const reset: Answer = (response) => void response.destroy();
