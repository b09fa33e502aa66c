// Which requests a proxy sees. A prompt holds code, and plain http is readable on its way.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { goesDirect } from "../../src/adapters/github/guarded-fetch.ts";
import { UsageError } from "../../src/config/usage-error.ts";
import { egressTo } from "../../src/wire/egress.ts";

afterEach(() => void vi.unstubAllEnvs());

test.each([
  "http://127.0.0.1:11434",
  "http://127.8.9.1",
  "http://[::1]:8080",
  "http://localhost:11434",
  "http://api.localhost",
  "http://ollama:11434",
  "https://vllm",
])("%s never goes through a proxy", (address) => {
  expect(goesDirect(new URL(address))).toBe(true);
});

test("a request to loopback reaches no proxy, and one to another host does, unless NO_PROXY names it", async () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? "");
    response.end("by the proxy");
  });
  proxy.on("connect", (request, socket) => {
    seen.push(request.url ?? "");
    socket.end("HTTP/1.1 403 no\r\n\r\n");
  });
  const server = createServer((_, response) => void response.end("by the server"));
  for (const one of [proxy, server]) await new Promise<void>((ready) => one.listen(0, "127.0.0.1", ready));
  const at = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  vi.stubEnv("HTTP_PROXY", at(proxy));
  vi.stubEnv("http_proxy", at(proxy));
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("no_proxy", "");
  expect(await (await egressTo(at(server))(at(server))).text()).toBe("by the server");
  expect(seen).toEqual([]);
  const ask = (address: string) => egressTo(address)(`${address}/v1`).catch(() => {});
  await ask("http://models.example.com");
  expect(seen.join()).toContain("models.example.com");
  vi.stubEnv("no_proxy", "localhost, EXAMPLE.net:8080,10.1.2.3");
  for (const address of ["http://models.example.net:8080", "http://10.1.2.3"]) await ask(address);
  expect(seen.join()).not.toMatch(/example\.net|10\.1\.2\.3/);
  for (const address of ["http://models.example.net", "http://notexample.net:8080"]) await ask(address);
  expect(seen.join()).toMatch(/models\.example\.net.*notexample\.net/);
  for (const one of [proxy, server]) one.close();
});

test.each(["proxy.example.com:3128", "127.0.0.1:3128", "socks5://proxy:1080"])(
  "a proxy's address without http:// (%s) is refused by the name of its variable",
  (address) => {
    vi.stubEnv("HTTPS_PROXY", address);
    vi.stubEnv("https_proxy", undefined);
    expect(() => egressTo("https://api.example.com")).toThrow(
      new UsageError("HTTPS_PROXY must be a whole address: http://HOST:PORT"),
    );
  },
);
