// A model's server on loopback, of Anthropic's protocol or of OpenAI's: real HTTP, real event
// streams, replies by script, requests kept for assertions.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came. */
export interface ModelCall {
  /** 0, 1, 2 … */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like.
  readonly body: any;
  /** All system text. */
  readonly system: string;
  /** All text of the first user message. */
  readonly prompt: string;
  /** The client went away before the answer was done. */
  isAbandoned: boolean;
}

/** Writes an answer; the makers are in replies.ts. */
export type Reply = (response: ServerResponse, call: ModelCall) => void;

/** One reply a request, the last one staying; or whatever fits the request. */
export type Replies = readonly Reply[] | ((call: ModelCall) => Reply);

export interface FakeAnthropic {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  readonly requests: ModelCall[];
  /** New replies from here on. */
  script(replies: Replies): void;
  close(): Promise<void>;
}

/** `await using` it, or close it. Without replies every request is answered 501. */
export async function startAnthropic(
  options: { readonly replies?: Replies } = {},
): Promise<FakeAnthropic & AsyncDisposable> {
  const requests: ModelCall[] = [];
  let replies: Replies = options.replies ?? [];
  let reported = 0;

  function next(call: ModelCall): Reply {
    if (typeof replies === "function") return replies(call);
    const reply = replies[Math.min(reported, replies.length - 1)];
    reported++;
    return reply ?? ((response) => void response.writeHead(501).end("nothing is scripted"));
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
      const call: ModelCall = {
        number: requests.length,
        path: request.url ?? "",
        headers: request.headers,
        body,
        system: textOf(body.system ?? firstOf(body, "system")),
        prompt: textOf(firstOf(body, "user")),
        isAbandoned: false,
      };
      response.on("close", () => {
        call.isAbandoned = !response.writableEnded;
      });
      requests.push(call);
      next(call)(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script(given) {
      replies = given;
      reported = 0;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a request, as it came.
function firstOf(body: any, role: string): unknown {
  return body.messages?.find((message: { readonly role: string }) => message.role === role)?.content;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text }) => text).join("\n\n") : "";
}
