// The parts of the harness that can be wrong by themselves: chance that repeats, words for faults,
// places that strike, letters.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { newBreakpoints } from "../../chaos/breakpoints.ts";
import { readFaults, USUAL_FAULTS } from "../../chaos/faults.ts";
import { openHistory } from "../../chaos/history.ts";
import { seededRandom } from "../../chaos/seeded-random.ts";
import { openWebhookDelivery, type WebhookDelivery } from "../../chaos/webhook-delivery.ts";
import { until } from "../app/app-harness.ts";

describe("dice", () => {
  test("of the same seed throw the same, of another seed otherwise", () => {
    const throws = (seed: string) =>
      Array.from(
        { length: 20 },
        (
          (own) => () =>
            own.below(1_000)
        )(seededRandom(seed)),
      );
    expect(throws("7")).toEqual(throws("7"));
    expect(throws("7")).not.toEqual(throws("8"));
    expect(seededRandom("7").fork("gate").next()).not.toBe(seededRandom("7").fork("post").next());
  });

  test("stay within their bounds and reach all of them", () => {
    const own = seededRandom("bounds");
    const seen = new Set(Array.from({ length: 500 }, () => own.below(6)));
    expect([...seen].toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    for (let at = 0; at < 500; at++) {
      const between = own.between(3, 4);
      expect(between >= 3 && between < 4).toBe(true);
    }
  });
});

test("faults are named, taken away or added; a word that is none is named in the refusal", () => {
  expect([...readFaults("kill,duplicate")]).toEqual(["kill", "duplicate"]);
  expect(readFaults("-stop").has("stop")).toBe(false);
  expect(readFaults("-stop").size).toBe(USUAL_FAULTS.size - 1);
  expect(readFaults("+drop").has("drop")).toBe(true);
  expect(readFaults("none").size).toBe(0);
  expect(() => readFaults("kil")).toThrow("no fault is called kil");
});

test("a breakpoint strikes once, for its waiter, and counts who passed", async () => {
  const breakpoints = newBreakpoints();
  expect(breakpoints.reach("before POST pulls/reviews")).toBe(false);
  const struck = breakpoints.arm(/POST pulls\/reviews$/, 5_000);
  expect(breakpoints.reach("before GET pulls")).toBe(false);
  expect(breakpoints.reach("after POST pulls/reviews")).toBe(true);
  expect(breakpoints.reach("after POST pulls/reviews")).toBe(false);
  expect(await struck).toBe("after POST pulls/reviews");
  expect(breakpoints.seen.get("after POST pulls/reviews")).toEqual({ passed: 2, struck: 1 });
  expect(await breakpoints.arm(/never/, 10)).toBeNull();
});

describe("the post office", () => {
  const closing: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** A receiver that gives these answers in turn, the last one for ever. */
  async function receiver(answers: number[]) {
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(String(request.headers["x-github-delivery"]));
      response.writeHead((answers.length > 1 ? answers.shift() : answers[0]) ?? 202).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  async function open(faults: string): Promise<WebhookDelivery> {
    const activeFaults = { faults: readFaults(faults), isCalm: false };
    const office = await openWebhookDelivery({
      random: seededRandom("post"),
      activeFaults,
      history: openHistory(null),
    });
    closing.push(office.close);
    return office;
  }

  const hand = (office: WebhookDelivery, guid: string) => {
    const body = JSON.stringify({ action: "opened", number: 3, repository: { id: 9, full_name: "acme/shop" } });
    const signed = `sha256=${createHmac("sha256", "x").update(body).digest("hex")}`;
    const headers = { "x-github-delivery": guid, "x-github-event": "pull_request", "x-hub-signature-256": signed };
    return fetch(office.url, { method: "POST", headers, body });
  };

  test("hands a letter on, and sends it again when an operator asks for it", async () => {
    const office = await open("none");
    const { url, got } = await receiver([503, 202]);
    office.address(url);
    await hand(office, "guid-1");
    await until("a first attempt", () => got.length === 1 && office.letters[0]?.travels === 0);
    expect(await office.sendFailedAgain()).toBe(1);
    await until("a second attempt", () => office.pending() === 0);
    expect(got).toEqual(["guid-1", "guid-1"]);
  });

  test("redelivering by hand what is not accepted waits longer each time", async () => {
    const office = await open("none");
    const { url, got } = await receiver([503]);
    office.address(url);
    await hand(office, "guid-1");
    await until("a first attempt", () => got.length === 1 && office.letters[0]?.travels === 0);
    expect(await office.sendFailedAgain()).toBe(1);
    await until("a second attempt", () => got.length === 2 && office.letters[0]?.travels === 0);
    expect(await office.sendFailedAgain()).toBe(0);
    expect(office.letters[0]).toMatchObject({ pauseMs: 4_000, pausedUntil: expect.any(Number) });
  });

  test("sends copies at once and later, some under another GUID, and knows which is which", async () => {
    const office = await open("duplicate");
    const { url, got } = await receiver([202]);
    office.address(url);
    for (let at = 0; at < 60; at++) await hand(office, `guid-${at}`);
    await until("all arrived", () => office.pending() === 0);
    expect(got.length).toBeGreaterThan(60);
    const twins = office.letters.filter(({ sameAs }) => sameAs !== null);
    for (const { guid, sameAs } of twins) expect([guid === sameAs, sameAs?.startsWith("guid-")]).toEqual([false, true]);
  });
});
