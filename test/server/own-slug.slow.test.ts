import { pino } from "pino";
import { expect, test } from "vitest";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import { AppRefused, ownSlug } from "../../src/server/await-answer.ts";

const at = { host: "127.0.0.1", port: 0, log: pino({ level: "silent" }) };
const away = new Transient("GitHub answered 502 to GET /app");
const refused = new OutOfReach("unauthorised", 401, "GitHub answered 401 to GET /app");

/** Each answer once, the last one from then on. */
function asked(...answers: readonly (string | Error)[]) {
  const asking = { times: 0, ask: (): Promise<string> => Promise.reject(new Error("not asked yet")) };
  asking.ask = async () => {
    const answer = answers[Math.min(asking.times, answers.length - 1)];
    asking.times += 1;
    if (typeof answer === "string") return answer;
    throw answer;
  };
  return asking;
}

test("an outage is waited for, however short the patience with refusals", async () => {
  const { ask } = asked(away, away, "kodiai");
  expect(await ownSlug(ask, { ...at, refusedMs: 1 })).toBe("kodiai");
});

test("one refusal is no last word", async () => {
  const { ask } = asked(refused, "kodiai");
  expect(await ownSlug(ask, at)).toBe("kodiai");
});

test("a key that goes on to be refused is given up after a while, with what GitHub says", async () => {
  const asking = asked(refused);
  const waiting = ownSlug(asking.ask, { ...at, refusedMs: 30 });
  await expect(waiting).rejects.toThrow(new AppRefused("GitHub answered 401 to GET /app"));
  expect(asking.times).toBeGreaterThan(1);
});

test("a refusal after a long outage is borne as long as any other", async () => {
  const { ask } = asked(away, away, refused, "kodiai");
  // By then a second and a half has passed.
  expect(await ownSlug(ask, { ...at, refusedMs: 1_300 })).toBe("kodiai");
});

test("what asking again can never fix ends it at once", async () => {
  const wrong = new Error("no way to that host");
  const asking = asked(wrong, "kodiai");
  await expect(ownSlug(asking.ask, at)).rejects.toBe(wrong);
  expect(asking.times).toBe(1);
});
