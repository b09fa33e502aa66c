// A request that got no answer: what strangers may read of it, and what whoever runs Kodiai can look up.
import { createServer } from "node:net";
import { expect, test } from "vitest";
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
  expect((reported as Transient).message).toBe("GitHub did not answer (ECONNREFUSED)");
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
    expect(reported.message).toBe(`GitHub did not answer (${code})`);
  }
});

test("a passed deadline is reported as one, and an error without a code without one", () => {
  const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  expect((translate(late, 0) as Transient).message).toBe("GitHub did not answer in time");
  expect((translate(new TypeError("terminated"), 0) as Transient).message).toBe("GitHub did not answer");
});
