import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ServiceLimits } from "../../../src/adapters/service-call.ts";
import type { Embedded, Embedder } from "../../../src/ports/memory.ts";
import {
  type Answer,
  cutOff,
  hang,
  json,
  reset,
  type ScriptedServer,
  scriptedServer,
  stall,
  status,
  text,
} from "../../fakes/scripted-server.ts";

export const DIMENSION = 8;
export const KEY = "pa-3uX_very-secret-key";
const LIMITS: Partial<ServiceLimits> = {
  firstWaitMs: 4,
  maxWaitMs: 30,
  breakAfter: 4,
};

/**
 * A short patience only for what never answers: a busy machine may need long for a first request.
 */
function patience(fault: Answer): Partial<ServiceLimits> {
  return fault === hang || fault === stall ? { ...LIMITS, attemptMs: 500 } : LIMITS;
}

/** Not of unit length, different for each text. */
export function rawVector(content: string): number[] {
  return Array.from({ length: DIMENSION }, (_, at) => 1 + ((content.codePointAt(at) ?? 0) % 31));
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const rows = (input: readonly string[]) =>
  input.map((content, index) => ({ object: "embedding", index, embedding: rawVector(content) }));

/** Answers as the service does; `change` spoils the rows. */
export function happy(change: (rows: readonly unknown[]) => readonly unknown[] = (all) => all): Answer {
  return (response, request) => {
    const input = request.body.input as string[];
    const usage = { prompt_tokens: 10 * input.length, total_tokens: 10 * input.length };
    json({ object: "list", data: change(rows(input)), model: request.body.model, usage })(response, request);
  };
}

export interface EmbedderUnderTest {
  readonly path: string;
  readonly batch: number;
  /** US$ for a million tokens. */
  readonly price: number;
  make(url: string, limits: Partial<ServiceLimits>, key: string): Embedder;
}

/** What every embedder over a network promises, on a real server that misbehaves. */
export function embedderContract(name: string, under: EmbedderUnderTest): void {
  describe(`${name} keeps the promises of an embedder`, () => {
    let server: ScriptedServer;
    let embedder: Embedder;
    const printed: unknown[] = [];
    beforeAll(async () => {
      server = await scriptedServer();
      for (const level of ["log", "info", "warn", "error", "debug"] as const) {
        vi.spyOn(console, level).mockImplementation((...words) => void printed.push(words));
      }
    });
    afterAll(async () => {
      vi.restoreAllMocks();
      await server.close();
    });
    beforeEach(() => {
      server.received.length = 0;
      embedder = under.make(server.url, LIMITS, KEY);
    });
    // What a service answers may hold code and keys: libraries must not print it either.
    afterEach(() => expect(printed.splice(0)).toEqual([]));

    const inputs = () => server.received.map((request) => request.body.input as string[]);

    function expectVectors(embedded: Embedded, texts: readonly string[]): void {
      expect(embedded.failed ?? null).toBeNull();
      expect(embedded.vectors.length).toBe(texts.length);
      embedded.vectors.forEach((vector, at) => {
        const wanted = unit(rawVector(texts[at] ?? ""));
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector?.length).toBe(DIMENSION);
        for (const [place, value] of wanted.entries()) expect(vector?.[place]).toBeCloseTo(value, 5);
      });
    }

    function expectNothing(embedded: Embedded, count: number, reason: RegExp): void {
      expect(embedded.vectors).toEqual(Array.from({ length: count }, () => null));
      expect(embedded).toMatchObject({ tokens: 0, usd: 0, cached: 0 });
      expect(embedded.failed).toMatch(reason);
      expect(embedded.failed).not.toContain(KEY);
      expect(embedded.failed).not.toContain("127.0.0.1");
    }

    test("texts come back as unit vectors in their order, each distinct text having travelled once", async () => {
      server.script(happy((all) => [...all].reverse()));
      const texts = ["std::vector<int> v;", "await fetch(url)", "std::vector<int> v;", "né 日本 👍🏽"];
      const embedded = await embedder.embed(texts, "query");
      expectVectors(embedded, texts);
      expect(inputs()).toEqual([["std::vector<int> v;", "await fetch(url)", "né 日本 👍🏽"]]);
      expect(embedded).toMatchObject({ tokens: 30, cached: 0 });
      expect(embedded.usd).toBeCloseTo((30 * under.price) / 1e6, 12);
      expect(server.received[0]).toMatchObject({ path: under.path, headers: { authorization: `Bearer ${KEY}` } });
      expect(embedder.space).toMatchObject({ dimension: DIMENSION });
      expect(embedded.vectors[0]).not.toBe(embedded.vectors[2]);
    });

    test("no text, no request; a blank text has no vector and no request", async () => {
      expect(await embedder.embed([], "query")).toMatchObject({ vectors: [], tokens: 0, usd: 0 });
      expectNothing(await embedder.embed(["", " \n"], "query"), 2, /blank.*2 of 2/);
      expect(server.received).toEqual([]);
    });

    test("300 texts travel in batches that the service accepts", async () => {
      server.script(happy());
      const texts = Array.from({ length: 300 }, (_, at) => `${at}: function parse(line) { return line.split(","); }`);
      expectVectors(await embedder.embed(texts, "document"), texts);
      expect(inputs().flat()).toEqual(texts);
      expect(Math.max(...inputs().map((input) => input.length))).toBe(under.batch);
      expect(inputs().length).toBe(Math.ceil(300 / under.batch));
    });

    test("a text of a megabyte and half a surrogate pair are cut and fixed before they travel", async () => {
      server.script(happy());
      const embedded = await embedder.embed(["x".repeat(1 << 20), "broken \ud83d pair"], "document");
      expect(embedded.failed ?? null).toBeNull();
      const sent = inputs().flat();
      expect(sent[0]?.length).toBeLessThan(200_000);
      expect(sent[1]).toBe("broken \ufffd pair");
    });

    test.each<[string, Answer]>([
      ["busy and says when to come back", status(429, { "retry-after": "1" })],
      ["broken", status(500)],
      ["behind a proxy that shows a page", text("<html><body>Sign in</body></html>", "text/html")],
      ["cut off in the middle of its JSON", text('{"object":"list","data":[{"index":0,"embed')],
      ["gone in the middle of its answer", cutOff],
      ["resetting connections", reset],
      ["not answering", hang],
      ["stalling after the headers", stall],
    ])("a service that is %s is asked again until it is well", async (_, fault) => {
      server.script(fault, fault, happy());
      embedder = under.make(server.url, patience(fault), KEY);
      expectVectors(await embedder.embed(["let x = 1"], "query"), ["let x = 1"]);
      expect(server.received.length).toBe(3);
    });

    test.each<[string, Answer, RegExp]>([
      ["busy for a day", status(429, { "retry-after": "86400" }), /answered 429/],
      ["busy until some day", status(503, { "retry-after": "Fri, 31 Dec 2100 23:59:59 GMT" }), /answered 503/],
      ["busy, with nonsense for a time", status(429, { "retry-after": "-5, NaN" }), /answered 429/],
      ["broken", status(502, {}, `{"detail":"${KEY}"}`), /answered 502: ‹key›/],
      ["showing a page", text("<html></html>", "text/html"), /not the JSON/],
      ["answering with another JSON", json({ error: { message: KEY } }), /not the JSON/],
      ["answering null", text("null"), /not the JSON/],
      ["answering nothing", text(""), /not the JSON/],
      ["answering without a body", status(204), /not the JSON/],
      ["not answering", hang, /did not answer within 500 ms/],
      ["stalling", stall, /did not answer within 500 ms/],
      ["resetting connections", reset, /no connection to the service: [A-Z_]+ .*; check /],
    ])("a service that is %s costs four requests, and after that none for a while", async (_, fault, reason) => {
      server.script(fault);
      embedder = under.make(server.url, patience(fault), KEY);
      expectNothing(await embedder.embed(["let x = 1", "let y = 2"], "query"), 2, reason);
      expect(server.received.length).toBe(4);
      expectNothing(await embedder.embed(["let z = 3"], "query"), 1, /left alone for a while/);
      expect(server.received.length).toBe(4);
    });

    test("a service that recovers is used again [003-29]", async () => {
      server.script(status(500));
      embedder = under.make(server.url, { ...LIMITS, breakMs: 200 }, KEY);
      await embedder.embed(["let x = 1"], "query");
      server.script(happy());
      await wait(300);
      expectVectors(await embedder.embed(["let x = 1"], "query"), ["let x = 1"]);
    });

    test("with no server listening there are no vectors, a reason and no error", async () => {
      const removed = await scriptedServer();
      await removed.close();
      const lonely = under.make(removed.url, LIMITS, KEY);
      expectNothing(await lonely.embed(["let x = 1"], "query"), 1, /no connection to the service: ECONNREFUSED \(/);
    });

    test.each([401, 403, 404])("status %d is final at once", async (code) => {
      server.script(status(code, {}, `{"detail":"Provided API key ${KEY} is invalid."}`));
      expectNothing(await embedder.embed(["let x = 1"], "query"), 1, new RegExp(`answered ${code}`));
      expect(server.received.length).toBe(1);
    });

    test("a batch that is refused is sent in ever smaller parts, so that one text spoils itself alone", async () => {
      server.script((response, request) => {
        const isBad = (request.body.input as string[]).includes("too dense");
        (isBad ? status(400) : happy())(response, request);
      });
      const embedded = await embedder.embed(["a1", "b2", "c3", "too dense"], "document");
      expect(embedded.vectors.map((vector) => vector !== null)).toEqual([true, true, true, false]);
      expect(embedded).toMatchObject({ tokens: 30, failed: expect.stringMatching(/answered 400: no \(1 of 4 texts/) });
      expect(server.received.length).toBe(5);
      server.script(happy());
      expectVectors(await embedder.embed(["a1"], "document"), ["a1"]);
    });

    test("a redirect is not followed, so no key and no code travels on", async () => {
      const elsewhere = await scriptedServer();
      elsewhere.script(happy());
      server.script(status(307, { location: `${elsewhere.url}/v1/embeddings` }));
      expectNothing(await embedder.embed(["let x = 1"], "query"), 1, /redirect/);
      expect(elsewhere.received).toEqual([]);
      expect(server.received.length).toBe(1);
      await elsewhere.close();
    });

    test("a key that no header can hold ends in a reason that does not contain it", async () => {
      const odd = under.make(server.url, LIMITS, "pa-secret\nX-Evil: 1");
      const embedded = await odd.embed(["let x = 1"], "query");
      expect(embedded.vectors).toEqual([null]);
      expect(embedded.failed).not.toContain("pa-secret");
      expect(server.received).toEqual([]);
    });

    const spoil = (at: number, row: unknown) => (all: readonly unknown[]) =>
      all.map((one, n) => (n === at ? row : one));
    test.each<[string, (all: readonly unknown[]) => readonly unknown[], RegExp]>([
      ["another dimension", spoil(1, { index: 1, embedding: [1, 2, 3] }), /3 numbers and not 8/],
      ["all zeros", spoil(1, { index: 1, embedding: [0, 0, -0, 0, 0, 0, 0, 0] }), /all zero/],
      ["a row without a vector", spoil(1, { index: 1 }), /missing/],
      ["fewer vectors", (all) => all.filter((_, at) => at !== 1), /missing/],
      ["one index twice", (all) => [...all, { index: 1, embedding: [9, 9, 9, 9, 9, 9, 9, 9] }], /two vectors/],
    ])("of an answer with %s, what is sound is kept", async (_, change, reason) => {
      server.script(happy(change));
      const embedded = await embedder.embed(["a1", "b2", "c3"], "document");
      expect(embedded.vectors.map((vector) => vector !== null)).toEqual([true, false, true]);
      expect(embedded.failed).toMatch(reason);
      expect(embedded.failed).toMatch(/1 of 3 texts/);
      expect(embedded.tokens).toBe(30);
      expect(server.received.length).toBe(1);
    });

    test.each<[string, unknown]>([
      ["null for a number", { index: 1, embedding: [1, null] }],
      ["text for a number", { index: 1, embedding: [1, "NaN"] }],
      ["base64 for a vector", { index: 1, embedding: "AACAPwAAAEA=" }],
      ["text for an index", { index: "1", embedding: [1, 2] }],
      ["null for a row", null],
    ])("an answer with %s costs this vector and no other, and is not asked for again", async (_, row) => {
      server.script(happy(spoil(1, row)));
      const embedded = await embedder.embed(["a1", "b2", "c3"], "document");
      expect(embedded.vectors.map((vector) => vector !== null)).toEqual([true, false, true]);
      expect(embedded.failed).toMatch(/a vector is missing .* not all numbers \(1 of 3 texts/);
      expect(inputs()).toEqual([["a1", "b2", "c3"]]);
    });

    test("NaN as Python writes it costs one vector", async () => {
      server.script((response, request) => {
        const data = JSON.stringify(rows(request.body.input as string[])).replace(
          /"embedding":\[\d+/,
          '"embedding":[NaN',
        );
        text(`{"data":${data}}`)(response, request);
      });
      const { vectors } = await embedder.embed(["a1", "b2", "c3"], "document");
      expect(vectors.map((vector) => vector !== null)).toEqual([false, true, true]);
    });

    const bad =
      (is: (input: string) => boolean, code: number, detail: string): Answer =>
      (response, request) => {
        const spoiled = (request.body.input as string[]).some(is);
        (spoiled ? status(code, {}, JSON.stringify({ error: { message: detail } })) : happy())(response, request);
      };
    test.each([
      [500, "unsupported value: NaN", [17]],
      [500, "unsupported value: NaN", [0, 13, 29]],
      [400, "the input is not valid", [0, 1]],
      [422, "the input is not valid", [29]],
    ])(
      "of thirty texts, %d (%s) leaves those that it is about, %j, and the others have vectors",
      async (code, detail, which) => {
        const texts = Array.from({ length: 30 }, (_, at) => (which.includes(at) ? `bad ${at}` : `good ${at}`));
        server.script(bad((input) => input.startsWith("bad"), code, detail));
        const { vectors, failed } = await embedder.embed(texts, "document");
        expect(vectors.flatMap((vector, at) => (vector === null ? [at] : []))).toEqual(which);
        expect(failed).toContain(`the service answered ${code}: ${detail} (${which.length} of 30 texts`);
        expect(server.received.length).toBeLessThanOrEqual(2 + 10 * which.length);
        // The service is well: the next texts are sent.
        server.script(happy());
        expectVectors(await embedder.embed(["let x = 1"], "query"), ["let x = 1"]);
      },
    );

    test("a text that is too long for the model is shortened, and the others are not", async () => {
      const long = "word ".repeat(2_000);
      server.script(bad((input) => input.length > 6_000, 400, "the input exceeds the context length"));
      const { vectors, failed } = await embedder.embed(["a1", long, "c3"], "document");
      expect(vectors.map((vector) => vector !== null)).toEqual([true, true, true]);
      expect(failed).toBeNull();
      expect(inputs().flat()).toContain("a1");
    });

    test("a service that answers 500 to everything is asked a bounded number of times", async () => {
      server.script(status(500));
      const texts = Array.from({ length: 30 }, (_, at) => `text ${at}`);
      expectNothing(await embedder.embed(texts, "document"), 30, /answered 500/);
      expect(server.received.length).toBeLessThan(15);
    });

    test("an answer whose tokens are text counts for nothing", async () => {
      server.script((response, request) =>
        json({ data: rows(request.body.input as string[]), usage: { total_tokens: KEY } })(response, request),
      );
      expectNothing(await embedder.embed(["a1"], "query"), 1, /usage\.total_tokens: expected number/);
    });

    test("NaN, Infinity and numbers beyond all bounds never become a vector [T28]", async () => {
      const body = (value: string) =>
        text(`{"data":[{"index":0,"embedding":[${value},2,3,4,5,6,7,8]}],"usage":{"total_tokens":4}}`);
      for (const value of ["NaN", "Infinity", "1e400"]) {
        const fresh = under.make(server.url, LIMITS, KEY);
        server.script(body(value));
        expect((await fresh.embed(["a1"], "query")).vectors).toEqual([null]);
      }
    });

    test("vectors that were not requested are ignored", async () => {
      server.script(happy((all) => [...all, { index: 7, embedding: rawVector("?") }, { index: -1 }, { index: 0.5 }]));
      expectVectors(await embedder.embed(["a1", "b2"], "query"), ["a1", "b2"]);
    });

    test("rows without an index count by their place, if there are as many as texts", async () => {
      const bare = (all: readonly unknown[]) =>
        all.map((row) => ({ embedding: (row as { embedding: unknown }).embedding }));
      server.script(happy(bare));
      expectVectors(await embedder.embed(["a1", "b2"], "query"), ["a1", "b2"]);
      server.script(happy((all) => bare(all).slice(1)));
      expect((await embedder.embed(["a1", "b2"], "query")).vectors).toEqual([null, null]);
    });

    test("tokens are estimated where the service does not count them", async () => {
      server.script((response, request) => json({ data: rows(request.body.input as string[]) })(response, request));
      expect((await embedder.embed(["x".repeat(35)], "query")).tokens).toBe(10);
    });
  });
}
