import { expect, test } from "vitest";
import { publicErrorText } from "../../src/domain/text/public-error-text.ts";

test.each([
  ["timed out: no answer within 5000 ms", "timed out: no answer within 5000 ms"],
  [
    "GitHub answered 503 to POST /repos/acme/shop/pulls/1/reviews",
    "GitHub answered 503 to POST /repos/acme/shop/pulls/1/reviews",
  ],
  ["ENOENT: no such file, open '/srv/kodiai/data/memory.db'", "ENOENT: no such file, open 'memory.db'"],
  ["connect ECONNREFUSED 10.1.2.3:5432", "connect ECONNREFUSED"],
  ["getaddrinfo ENOTFOUND db.internal", "getaddrinfo ENOTFOUND"],
  ["no answer of https://proxy.internal:8443/v1?key=abc (timeout)", "no answer of (an address) (timeout)"],
  ["read ETIMEDOUT from db.internal:5432", "read ETIMEDOUT from (an address)"],
  ["3 of 10 files, 1/2 read, and/or a date 2026/11/22", "3 of 10 files, 1/2 read, and/or a date 2026/11/22"],
])("%j is shown as %j", (text, shown) => {
  expect(publicErrorText(text)).toBe(shown);
});

test("a long text ends between words, so that no secret is shown by half", () => {
  const token = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
  const shown = publicErrorText(`${"word ".repeat(38)}${token} and more`);
  expect(shown).toBe(`${"word ".repeat(38)}…`);
  expect(publicErrorText("/a".repeat(500_000)).length).toBeLessThanOrEqual(201);
});

/** As Node 24, undici and node:tls write them, with addresses of an inner network. */
const INNER: readonly string[] = [
  "connect ECONNREFUSED 127.0.0.1:45321",
  "connect ECONNREFUSED ::1:8080",
  "connect EHOSTUNREACH 10.0.12.7:443 - Local (192.168.1.5:39422)",
  "connect ETIMEDOUT fd12:3456:789a::1:443",
  "connect ENETUNREACH 2001:db8:85a3:0:0:8a2e:370:7334:443 - Local (:::0)",
  "getaddrinfo ENOTFOUND ghes-node-3",
  "getaddrinfo EAI_AGAIN proxy",
  "Connect Timeout Error (attempted address: ghes.acme.internal:443, timeout: 10000ms)",
  "Connect Timeout Error (attempted addresses: 10.0.12.7:443, fe80::1%eth0:443, timeout: 10000ms)",
  "Hostname/IP does not match certificate's altnames: Host: ghes.acme.corp. is not in the cert's altnames: DNS:*.acme-int.net, IP Address:10.0.12.7",
  "unable to verify the first certificate for https://ghes.acme.internal:8443/api/v3",
  "Proxy response (407) from squid:3128 when HTTP Tunneling",
  "the proxy localhost:3128 refused it",
  "no route to ghes-primary.acme.internal",
  "redirect to http://[fd00::17]:8080/login was refused",
];
const INNER_WORDS =
  /acme|ghes|squid|localhost|3128|45321|8443|39422|10\.0\.|192\.168|127\.0|fd12|fd00|fe80|2001:db8|::1|: proxy$/i;

test.each(INNER)("of %j no address is shown", (message) => {
  expect(publicErrorText(message)).not.toMatch(INNER_WORDS);
});

test("times, places in files, names of types and routes of the API stay", () => {
  for (const text of [
    "it was not done after 60 minutes, at 10:20:30",
    "std::vector and Foo::bar are named",
    "GitHub answered 502 to GET /repositories/42/pulls/7/files",
    "`a.local` is what the rule says about line:120",
    "3 of 12 files, ratio 16:9, sha256:1f2e",
  ])
    expect(publicErrorText(text)).toBe(text.replace("a.local", "(an address)"));
});
