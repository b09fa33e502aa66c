// A request that got no answer: what strangers may read of it, and what whoever runs Kodiai can
// look up.
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { quietOctokit } from "../../../src/adapters/github/quiet-octokit.ts";
import { translate } from "../../../src/adapters/github/translate-error.ts";
import { Transient } from "../../../src/domain/errors.ts";
import { loggedError } from "../../../src/server/serve.ts";

/** A port of this machine on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("a refused connection is reported by its code; only the log has the address", async () => {
  const port = await deadPort();
  const broken: unknown = await fetch(`http://127.0.0.1:${port}/api/v3/app`).catch((error: unknown) => error);
  const reported = translate(broken, 0);
  expect(reported).toBeInstanceOf(Transient);
  expect((reported as Transient).message).toMatch(
    /^GitHub could not be reached: ECONNREFUSED \(nothing listens there\); check /,
  );
  expect(JSON.stringify(loggedError(reported))).toContain(`127.0.0.1:${port}`);
});

test("an unknown name, a proxy that refuses and a certificate of another host are reported without naming them", () => {
  for (const [message, code] of [
    ["getaddrinfo ENOTFOUND ghes.acme.internal", "ENOTFOUND"],
    ["Connect Timeout Error (attempted address: squid:3128, timeout: 10000ms)", "UND_ERR_CONNECT_TIMEOUT"],
    ["Hostname/IP does not match certificate's altnames: Host: ghes.acme.corp.", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const) {
    const cause = Object.assign(new Error(message), { code });
    const reported = translate(new TypeError("fetch failed", { cause }), 0) as Transient;
    expect(reported.message).toMatch(new RegExp(`^GitHub could not be reached: ${code} \\(.*\\); (?:check|set) `));
  }
});

test("a passed deadline is reported as one, and an error without a code without one", () => {
  const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  expect((translate(late, 0) as Transient).message).toMatch(/could not be reached: TIMEOUT \(no answer in time\)/);
  expect((translate(new TypeError("terminated"), 0) as Transient).message).toMatch(
    /could not be reached: no connection/,
  );
  const mistake = new TypeError("x is not a function");
  expect(translate(mistake, 0)).toBe(mistake);
});

test("a request of the client without an answer names GitHub's host, and no status that GitHub never sent", async () => {
  const apiUrl = `http://127.0.0.1:${await deadPort()}/api/v3`;
  const client = quietOctokit(apiUrl, guardedFetch({ origins: [apiUrl] }));
  const broken: unknown = await client.request("GET /app").catch((error: unknown) => error);
  const { message } = translate(broken, 0) as Transient;
  expect(message).toMatch(/^GitHub could not be reached at 127\.0\.0\.1:\d+: ECONNREFUSED /);
  expect(message).not.toContain("500");
});
