// MCP over HTTP, on loopback: requests need a token, and web pages cannot send any through a browser.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { closeServer, listening, urlOf } from "./webhook-server.ts";

const MCP_PATH = "/mcp";
/** Fits a diff of a million characters in JSON. */
const MOST_BODY = 4 << 20;
const HOST = "127.0.0.1";
/** Time to send a request; an answer may take as long as a review. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000 };

/** Listens on loopback, on a free port for 0; `server` is called for each request. Throws when the port is in use. */
export async function startMcpServer(port: number, token: string, server: () => McpServer) {
  const handler = createMcpHandler(server, { maxRequestBodySize: MOST_BODY });
  const answer = async (request: Request): Promise<Response> => {
    const wrong =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (wrong !== undefined) return wrong;
    if (new URL(request.url).pathname !== MCP_PATH) return new Response(null, { status: 404 });
    if (!hasToken(request.headers.get("authorization"), token)) {
      return new Response("token required: Authorization: Bearer …\n", {
        status: 401,
        headers: { "www-authenticate": "Bearer" },
      });
    }
    return handler.fetch(request);
  };
  const http = createServer(LIMITS, getRequestListener(answer, { overrideGlobalObjects: false }));
  await listening(http, { host: HOST, port });
  return {
    url: urlOf(http) + MCP_PATH,
    async close(): Promise<void> {
      await handler.close();
      await closeServer(http);
    },
  };
}

/** Compares in constant time. */
function hasToken(header: string | null, token: string): boolean {
  const [, shown = ""] = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(header ?? "") ?? [];
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(shown), hash(token)) && shown !== "";
}
