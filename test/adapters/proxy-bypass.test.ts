// Which requests a proxy sees. A prompt holds code, and plain http is readable on its way.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { goesDirect } from "../../src/adapters/github/guarded-fetch.ts";
import { UsageError } from "../../src/config/usage-error.ts";
import { egressTo } from "../../src/wire/egress.ts";

afterEach(() => void vi.unstubAllEnvs());

const direct = (address: string, noProxy = "") => goesDirect(new URL(address), noProxy);

test.each([
  "http://127.0.0.1:11434",
  "http://127.8.9.1",
  "http://[::1]:8080",
  "http://localhost:11434",
  "http://api.localhost",
  "http://ollama:11434",
  "https://vllm",
])("%s never goes through a proxy", (address) => {
  expect(direct(address)).toBe(true);
});

test.each<[string, string, boolean]>([
  ["https://api.example.com", "", false],
  ["https://api.example.com", "*", true],
  ["https://api.example.com", "example.com", true],
  ["https://api.example.com", ".example.com", true],
  ["https://api.example.com", "*.example.com", true],
  ["https://API.Example.com", "localhost, EXAMPLE.COM", true],
  ["https://example.com", ".example.com", true],
  ["https://notexample.com", "example.com", false],
  ["https://api.example.com.", "example.com", true],
  ["https://api.example.com:8443", "example.com:8443", true],
  ["https://api.example.com", "example.com:8443", false],
  ["https://api.example.com", "example.com:443", true],
  ["http://api.example.com", "example.com:80", true],
  ["http://10.1.2.3", "10.0.0.0/8", true],
  ["http://10.1.2.3:8000", "192.168.0.0/16 10.0.0.0/8", true],
  ["http://11.1.2.3", "10.0.0.0/8", false],
  ["http://10.1.2.3", "10.1.2.3", true],
  ["http://10.1.2.3:8000", "10.1.2.3:9000", false],
  ["http://[fd00::1]", "fd00::/8", true],
  ["http://[fd00::1]:8080", "[fd00::1]:8080", true],
  ["http://[fd00::1]", "fd00::1", true],
  ["http://10.example.com", "10.0.0.0/8", false],
  ["http://10.1.2.3", "10.0.0.0/99,nonsense/8,/", false],
])("%s with NO_PROXY=%s: without the proxy %s", (address, noProxy, expected) => {
  expect(direct(address, noProxy)).toBe(expected);
});

test("a request to loopback reaches no proxy, and one to another host does", async () => {
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
  await egressTo("http://models.example.com")("http://models.example.com/v1").catch(() => {});
  expect(seen.join()).toContain("models.example.com");
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
