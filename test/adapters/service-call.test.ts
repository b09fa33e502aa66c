import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { retryAfterMs } from "../../src/adapters/retrying-calls.ts";
import { type ServiceCall, serviceCall } from "../../src/adapters/service-call.ts";
import { ServiceFailed, statusFailure } from "../../src/adapters/service-failed.ts";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

describe("between attempts", () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW }));
  afterEach(() => void vi.useRealTimers());

  /**
   * Milliseconds from the start at which each attempt was made, with a service that always answers
   * the same.
   */
  async function attempts(failure: ServiceFailed): Promise<readonly number[]> {
    const call = serviceCall({}, Date.now);
    const times: number[] = [];
    const done = call(() => {
      times.push(Date.now() - NOW);
      return Promise.reject(failure);
    }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await done).toBe(failure);
    return times;
  }

  test.each([
    ["3", 3_000],
    ["0.5", 500],
    ["0", 0],
    ["86400", 8_000],
    ["Sat, 21 Nov 2026 12:00:02 GMT", 2_000],
  ])("`retry-after: %s` is followed, but never for longer than 8 s", async (retryAfter, wait) => {
    expect((await attempts(statusFailure(429, "", retryAfterMs(retryAfter, NOW))))[1]).toBe(wait);
  });

  test.each([null, "", " ", "soon", "-5", "NaN", "Sat, 21 Nov 2020 12:00:02 GMT"])(
    "without a usable retry-after (%j) the waits grow, partly at random",
    async (retryAfter) => {
      const times = await attempts(statusFailure(503, "", retryAfterMs(retryAfter, NOW)));
      const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      expect(waits.length).toBe(3);
      for (const [at, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(250 * 2 ** at - 1);
        expect(wait).toBeLessThanOrEqual(500 * 2 ** at);
      }
    },
  );

  test("an attempt has 10 s, and its signal ends when it does [000-34]", async () => {
    const signals: AbortSignal[] = [];
    const done = serviceCall(
      {},
      Date.now,
    )((signal) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(signals[0]?.aborted).toBe(true);
    await vi.runAllTimersAsync();
    expect(signals.length).toBe(4);
    expect(await done).toMatchObject({ name: "ServiceFailed", message: "the service did not answer within 10000 ms" });
    expect(Date.now() - NOW).toBeLessThan(4 * 10_000 + 3 * 8_000);
  });
});

test("an error of unknown origin becomes a failure that quotes nothing of it", async () => {
  const odd = new TypeError('Headers.append: "Bearer pa-secret" is an invalid header value');
  const call: ServiceCall = serviceCall({ retries: 0 }, Date.now);
  const error = await call(() => Promise.reject(odd)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ServiceFailed);
  expect(String(error)).not.toContain("pa-secret");
});

test("inputs that are refused do not make a service look dead", async () => {
  const call = serviceCall({ retries: 0, breakAfter: 2 }, Date.now);
  for (let n = 0; n < 5; n++) await call(() => Promise.reject(statusFailure(400, "", null))).catch(() => null);
  expect(await call(() => Promise.resolve("well"))).toBe("well");
  for (let n = 0; n < 2; n++) await call(() => Promise.reject(statusFailure(401, "", null))).catch(() => null);
  await expect(call(() => Promise.resolve("well"))).rejects.toThrow("left alone");
});
