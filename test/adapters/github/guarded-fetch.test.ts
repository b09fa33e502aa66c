// The one way out: which addresses are never reached, however they are written or resolved, and
// what a redirect takes along.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EgressRefused, guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { translate } from "../../../src/adapters/github/translate-error.ts";
import { isPrivateAddress } from "../../../src/adapters/private-address.ts";

let server: Server;
let port: number;
let redirect: { readonly status: number; readonly location: string } | null = null;
const retrieved: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    retrieved.push({ url: request.url ?? "", headers: request.headers });
    const isFirst = request.url === "/first";
    if (isFirst && redirect !== null) response.writeHead(redirect.status, { location: redirect.location });
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

/** A resolver that knows one answer. */
const resolvesTo =
  (...addresses: readonly string[]): NonNullable<Parameters<typeof guardedFetch>[0]["resolve"]> =>
  (_, tell) =>
    tell(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

async function reached(promise: Promise<{ text(): Promise<string> }>): Promise<string> {
  try {
    return await (await promise).text();
  } catch (error) {
    return error instanceof EgressRefused ? "refused" : `failed: ${String(error)}`;
  }
}

describe("addresses that the internet does not route", () => {
  /**
   * How an address is connected to: called by itself, by a name that resolves to it, and called
   * without being allowed.
   */
  const ways = async (form: string) => {
    const { hostname } = new URL(form);
    const address = hostname.replace(/^\[|\]$/g, "");
    // First, so that a guard that lost the address dials nobody.
    expect([isIP(address) > 0, isPrivateAddress(address)]).toEqual([true, true]);
    const named = guardedFetch({ origins: [`http://api.example.com:${port}`], resolve: resolvesTo(address) });
    const other = guardedFetch({ origins: ["https://api.github.com"] });
    const direct = guardedFetch({ origins: [`http://${hostname}:${port}`] });
    return {
      named: await reached(named(`http://api.example.com:${port}/`)),
      notAllowed: await reached(other(`http://${hostname}:${port}/`)),
      direct: await reached(direct(`http://${hostname}:${port}/`)),
    };
  };

  // Numbers, octal, hexadecimal, short, mapped, embedded, compressed: the URL parser turns each
  // into one form.
  test.each([
    "http://0",
    "http://0.0.0.0",
    "http://3232235521",
    "http://2852039166",
    "http://0251.0376.0251.0376",
    "http://0xA9FEA9FE",
    "http://169.254.169.254",
    "http://169.254.169.254.",
    "http://100.100.100.200",
    "http://168.63.129.16",
    "http://192.0.0.192",
    "http://192.88.99.1",
    "http://10.0.0.1",
    "http://172.16.0.1",
    "http://192.168.1.1",
    "http://[::]",
    "http://[::ffff:a9fe:a9fe]",
    "http://[::127.0.0.1]",
    "http://[::ffff:0:7f00:1]",
    "http://[::ffff:0:a9fe:a9fe]",
    "http://[64:ff9b::10.0.0.1]",
    "http://[64:ff9b::168.63.129.16]",
    "http://[64:ff9b:1::1]",
    "http://[100:0:0:1::1]",
    "http://[2001:0:7f00:1::]",
    "http://[2001:2::1]",
    "http://[2002:7f00:1::]",
    "http://[3fff::1]",
    "http://[3fff:fff:ffff::1]",
    "http://[5f00::1]",
    "http://[fd00:ec2::254]",
    "http://[fe80::1]",
    "http://224.0.0.1",
    "http://255.255.255.255",
  ])("%s is refused, by itself and behind a name [T5]", async (form) => {
    expect(await ways(form)).toEqual({ named: "refused", notAllowed: "refused", direct: "refused" });
  });

  test.each([
    "http://127.0.0.1",
    "http://127.1",
    "http://127.0.1",
    "http://127.127.127.127",
    "http://2130706433",
    "http://0x7f000001",
    "http://0x7f.0x0.0x0.0x1",
    "http://0177.0.0.1",
    "http://00000177.0.0.01",
    "http://[::1]",
    "http://[0000::1]",
    "http://[::ffff:127.0.0.1]",
    "http://[0:0:0:0:0:ffff:127.0.0.1]",
    "http://①②⑦.⓪.⓪.①",
    "http://127。0。0。1",
  ])(
    "%s is this machine: refused behind a name, and reached only where the operator called it so [T5]",
    async (form) => {
      const { direct, ...others } = await ways(form);
      expect(others).toEqual({ named: "refused", notAllowed: "refused" });
      // The server listens at 127.0.0.1 alone; at the others the attempt fails.
      expect(direct).not.toBe("refused");
    },
  );

  test.each([
    "140.82.112.5",
    "1.1.1.1",
    "2606:50c0:8000::153",
    "64:ff9b::8c52:7005",
    "172.32.0.1",
    "168.63.129.15",
    "192.88.98.1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "3ffe::1",
    "5eff::1",
    "::ffff:140.82.112.5",
  ])("%s is on the internet", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe("a name is judged by what it resolves to, for the connection that is made", () => {
  const from = (...addresses: readonly string[]) => ({
    origins: [`http://api.example.com:${port}`],
    resolve: resolvesTo(...addresses),
  });
  const url = () => `http://api.example.com:${port}/x`;

  test.each([
    ["loopback", ["127.0.0.1"]],
    ["a neighbour", ["192.168.0.7"]],
    ["the metadata service", ["169.254.169.254"]],
    ["one of each", ["140.82.112.5", "127.0.0.1"]],
    ["an address in another", ["::ffff:127.0.0.1"]],
  ])("%s is refused [T5]", async (_, addresses) => {
    expect(await reached(guardedFetch(from(...addresses))(url()))).toBe("refused");
  });

  test("unless the operator listed the host, with or without its port", async () => {
    for (const listed of ["api.example.com", `api.example.com:${port}`]) {
      expect(await reached(guardedFetch({ ...from("127.0.0.1"), privateHosts: [listed] })(url()))).toBe("here");
    }
    expect(
      await reached(guardedFetch({ ...from("127.0.0.1"), privateHosts: ["example.com", "api.example.com:1"] })(url())),
    ).toBe("refused");
  });

  test("loopback by its name is reached, and only there", async () => {
    const origins = [`http://localhost:${port}`];
    expect(
      await reached(guardedFetch({ origins, resolve: resolvesTo("127.0.0.1") })(`http://localhost:${port}/`)),
    ).toBe("here");
    expect(await reached(guardedFetch({ origins, resolve: resolvesTo("10.0.0.1") })(`http://localhost:${port}/`))).toBe(
      "refused",
    );
  });

  test("a name that changes its address is looked at each time [T5]", async () => {
    let calls = 0;
    const fetch = guardedFetch({
      ...from(),
      resolve: (_, tell) => tell(null, [{ address: calls++ === 0 ? "10.0.0.1" : "127.0.0.1", family: 4 }]),
    });
    expect([await reached(fetch(url())), await reached(fetch(url()))]).toEqual(["refused", "refused"]);
    expect(calls).toBe(2);
  });
});

describe("other origins", () => {
  const fetch = () => guardedFetch({ origins: [`http://127.0.0.1:${port}`] });

  test.each([
    "http://127.0.0.1:1/",
    "https://127.0.0.1/",
    "http://user:word@evil.example/",
    "http://evil.example#127.0.0.1",
    "http://127.0.0.1.evil.example/",
    "http://evil.example\\@127.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:25/_x",
    "dict://127.0.0.1:11211/stat",
    "data:text/plain,x",
  ])("%s is refused", async (url) => {
    expect(await reached(fetch()(url))).toBe("refused");
  });

  test.each([301, 302, 307, 308])(
    "a redirect %i elsewhere is not followed, and no credential leaves [T5]",
    async (status) => {
      const other: IncomingHttpHeaders[] = [];
      const attacker = createServer((request, response) => {
        other.push(request.headers);
        response.end("stolen");
      });
      await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
      const { port: there } = attacker.address() as AddressInfo;
      for (const location of [
        `http://127.0.0.1:${there}/`,
        `http://localhost:${port}/`,
        "//evil.example/",
        "http://169.254.169.254/",
      ]) {
        redirect = { status, location };
        expect(
          await reached(fetch()(`http://127.0.0.1:${port}/first`, { headers: { authorization: "token secret" } })),
        ).toBe("refused");
      }
      expect(other).toEqual([]);
      await new Promise((resolve) => attacker.close(resolve));
    },
  );

  test("a redirect within the origin is followed, with what it needs to be allowed in", async () => {
    redirect = { status: 301, location: "/second" };
    retrieved.length = 0;
    const headers = { authorization: "token secret" };
    expect(await reached(fetch()(`http://127.0.0.1:${port}/first`, { headers }))).toBe("here");
    expect(retrieved.map(({ url, headers: sent }) => [url, sent.authorization])).toEqual([
      ["/first", "token secret"],
      ["/second", "token secret"],
    ]);
    redirect = { status: 302, location: "/first" };
    expect((await fetch()(`http://127.0.0.1:${port}/first`)).status).toBe(302);
  });

  test.each([
    [301, ["/first"]],
    [302, ["/first"]],
    [307, ["/first", "/second"]],
    [308, ["/first", "/second"]],
  ])("a write that is answered %i is sent on only where that means the same write [T5]", async (status, asked) => {
    redirect = { status, location: "/second" };
    retrieved.length = 0;
    await fetch()(`http://127.0.0.1:${port}/first`, { method: "POST", body: "{}" });
    expect(retrieved.map(({ url }) => url)).toEqual(asked);
  });

  test("a write to a repository that was renamed is sent on to its number, also where GitHub says 301", async () => {
    redirect = { status: 301, location: "/repositories/7/pulls/1/reviews" };
    retrieved.length = 0;
    await fetch()(`http://127.0.0.1:${port}/first`, { method: "POST", body: "{}" });
    expect(retrieved.map(({ url }) => url)).toEqual(["/first", "/repositories/7/pulls/1/reviews"]);
  });

  test("a refusal is not retried, even if a client wraps it", () => {
    const refused = new EgressRefused("requests to https://evil.example are not allowed");
    expect(translate(new Error("x", { cause: new TypeError("fetch failed", { cause: refused }) }), 0)).toBe(refused);
  });
});
