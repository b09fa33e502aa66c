// The setup page for one person, on loopback: it posts the App's manifest to GitHub, and receives
// the code with which GitHub redirects the browser. A token protects it: whoever confirms owns the
// App. It can be reopened until the code arrives, because GitHub's login loses the form.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { html } from "hono/html";
import { listening, urlOf } from "./webhook-server.ts";

interface SetupSettings {
  readonly port: number;
  /** Target of the form: `https://github.com/settings/apps/new`. */
  readonly registerUrl: string;
  /** The manifest as text, for the URL that GitHub redirects the browser back to. */
  readonly manifest: (redirectUrl: string) => string;
  readonly timeoutMs: number;
}

const HOST = "127.0.0.1";

/** Opens the page at `url`; `code` rejects after the timeout. Throws when the port is in use. */
export async function startSetupServer(wish: SetupSettings) {
  const [token, state] = [randomBytes(24).toString("base64url"), randomBytes(24).toString("base64url")];
  const outcome = Promise.withResolvers<string>();
  outcome.promise.catch(() => {});
  let isOver = false;
  const start = (url: URL, response: ServerResponse) => {
    if (!same(url.searchParams.get("token"), token)) return say(response, 404, "Not found");
    if (isOver) return say(response, 410, "The App was already created. Run kodiai setup --new for another.");
    const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action ${new URL(wish.registerUrl).origin}; base-uri 'none'; frame-ancestors 'none'`;
    return send(response, 200, "html", formPage(wish, state, `${origin}/done`), policy);
  };
  const done = (url: URL, response: ServerResponse) => {
    const code = url.searchParams.get("code") ?? "";
    if (!same(url.searchParams.get("state"), state) || !/^[\w-]{1,200}$/.test(code))
      return say(response, 404, "Not found");
    isOver = true;
    say(response, 200, "The App was created. You may close this page; kodiai setup continues in the terminal.");
    return outcome.resolve(code);
  };
  const server = createServer((request, response) => {
    // Null for an invalid request target, such as `//[`: any process on this machine may send one.
    const url = URL.parse(request.url ?? "/", origin);
    const path = request.method === "GET" && isOurs(request, origin) ? url?.pathname : null;
    if (url !== null && path === "/start") start(url, response);
    else if (url !== null && path === "/done") done(url, response);
    else say(response, 404, "Not found");
  });
  await listening(server, { host: HOST, port: wish.port });
  // Read once: a closed server has no address, and a kept-alive connection may send more.
  const origin = urlOf(server);
  const late = setTimeout(
    () => outcome.reject(new Error("the App was not confirmed in time; run kodiai setup again")),
    wish.timeoutMs,
  );
  return {
    url: `${origin}/start?token=${token}`,
    code: outcome.promise,
    close(): void {
      clearTimeout(late);
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Refuses requests under another host name, as after DNS rebinding by a web page. */
function isOurs({ headers }: IncomingMessage, origin: string): boolean {
  const { host, port } = new URL(origin);
  return headers.host === host || headers.host === `localhost:${port}`;
}

function same(given: string | null, ours: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(ours)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function formPage({ registerUrl, manifest }: SetupSettings, state: string, redirectUrl: string): string {
  const action = new URL(registerUrl);
  action.searchParams.set("state", state);
  const login = new URL("/login", action).href;
  return String(html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Kodiai: make the GitHub App</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>Make the GitHub App</h1>
<p><strong>First sign in to <a href="${login}" target="_blank" rel="noreferrer">${action.host}</a></strong> in this browser. If
you are signed out, GitHub asks you to log in and then shows an empty form: come back to this page and go on from here.</p>
<p>GitHub shows what the App is called and what it may do, and asks you to confirm. Nothing else leaves this machine.</p>
<form action="${action.href}" method="post">
<input type="hidden" name="manifest" value="${manifest(redirectUrl)}">
<button>Go to ${action.host}</button>
</form></html>`);
}

function say(response: ServerResponse, status: number, text: string): void {
  send(response, status, "plain", `${text}\n`, "default-src 'none'");
}

function send(response: ServerResponse, status: number, type: "html" | "plain", text: string, policy: string): void {
  const headers = {
    "content-type": `text/${type}; charset=utf-8`,
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    // GitHub's page is next, so keep-alive is useless.
    connection: "close",
  };
  response.writeHead(status, headers).end(text);
}
