// What failures leave in the log: sixty of them, each hung about with canaries, and texts that
// would break a line.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RequestError } from "@octokit/request-error";
import Database from "better-sqlite3";
import fc from "fast-check";
import { pino } from "pino";
import { expect, test } from "vitest";
import { z } from "zod";
import { Transient } from "../../src/domain/errors.ts";
import { loggedError } from "../../src/server/serve.ts";
import { logWithoutSecrets, registerSecrets } from "../../src/wire/secrets.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: 39 of 40 texts that would break a line of the log; NIGHTLY=1 tries all");

/** Secrets that the process was given. */
const OWN = ["own-webhook-secret-4f7d2c7e9b1a", "own-model-key-8a3e1d0f6b2e9c88"];
/** Words of a prompt, a body, a header: no secret to any scanner, and nobody's business. */
const PRIVATE = "the-words-of-a-private-diff";
registerSecrets(...OWN);

/** The lines that a log of the server would hold. */
async function logged(write: (log: ReturnType<typeof pino>) => void): Promise<string> {
  const written: string[] = [];
  const lines = logWithoutSecrets((line) => void written.push(line));
  write(pino({ level: "trace", serializers: { err: loggedError, error: loggedError } }, lines));
  await lines.drained();
  return written.join("");
}

const request = {
  method: "POST" as const,
  url: "https://api.github.com/repos/acme/shop/issues/1/comments",
  headers: { authorization: `token ${OWN[0]}`, "x-own": PRIVATE },
  body: PRIVATE,
};

function httpErrors(): unknown[] {
  return [400, 401, 403, 404, 409, 410, 413, 422, 429, 451, 500, 502, 503, 504].map((status) => {
    const response = {
      status,
      url: request.url,
      headers: { "set-cookie": PRIVATE },
      data: { message: PRIVATE },
      retryCount: 0,
    };
    return new RequestError(`refused with ${OWN[1]}`, status, { request, response: response as never });
  });
}

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

function oddErrors(): unknown[] {
  const db = new Database(":memory:");
  const circle = new Error(`round with ${OWN[0]}`);
  circle.cause = circle;
  return [
    new Transient(`GitHub answered 502`, null, new Error(OWN[0], { cause: new TypeError(OWN[1]) })),
    Object.assign(new Error(OWN[0]), {
      config: { headers: { authorization: OWN[1] }, data: PRIVATE },
      prompt: PRIVATE,
    }),
    Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("x"), { code: "ECONNRESET", body: PRIVATE }),
    }),
    new AggregateError([new Error(OWN[0]), new Error(PRIVATE)], OWN[1]),
    circle,
    thrown(() => JSON.parse(`{"key": "${OWN[0]}`)),
    thrown(() => z.object({ a: z.number() }).parse({ a: OWN[0] })),
    thrown(() => db.prepare(`SELECT '${OWN[0]}' FROM nowhere`)),
    thrown(() => new URL(`not a url ${OWN[0]}`)),
  ];
}

/** What is thrown that is no error at all. */
function strangeValues(): unknown[] {
  return [
    OWN[0],
    { secret: OWN[1], prompt: PRIVATE },
    null,
    undefined,
    7,
    Symbol(OWN[0]),
    [OWN[0], PRIVATE],
    new Map([[PRIVATE, OWN[1]]]),
  ];
}

test("sixty failures leave no secret, no header, no body and no prompt in the log [T19]", async () => {
  const errors = [...httpErrors(), ...oddErrors(), ...strangeValues()];
  const failures = errors.flatMap((error) => [error, new Error(`while it posted: ${OWN[0]}`, { cause: error })]);
  expect(failures.length).toBeGreaterThanOrEqual(60);
  for (const [at, error] of failures.entries()) {
    // Of several errors in one only the first words are told, of an object nothing.
    const log = await logged((to) => to.error({ err: error, job: "github.com/1#2" }, "job ended"));
    expect(log.split("\n")).toHaveLength(2);
    expect(JSON.parse(log)).toMatchObject({ level: 50, msg: "job ended" });
    for (const secret of [...OWN, PRIVATE]) expect(log.includes(secret), `${at}: ${log}`).toBe(false);
  }
});

test("any text is one line of the log, and one object [T19]", async () => {
  const folder = resolve(process.cwd(), "../shared/bad-inputs/fuzzdb");
  const fuzz = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /crlf|terminal|control|unicode/i.test(file) && file.endsWith(".txt"))
        .flatMap((file) => readFileSync(join(folder, file), "latin1").split("\n"))
    : [];
  if (fuzz.length === 0) console.warn("skipped: the lists of line ends and control characters are not there");
  const breaking = [
    '\r\n{"level":60}',
    "\u001B[2J\u001B]0;x\u0007",
    "\u2028\u2029\u0085",
    "\u0000\b\f\v",
    "\uD800",
    "%0d%0a",
    "%s%n%d%j",
  ];
  const texts = [
    ...breaking,
    ...fuzz.filter((_, at) => NIGHTLY || at % 40 === 0),
    ...fc.sample(fc.string({ unit: "binary", maxLength: 80 }), { numRuns: 60, seed: 7 }),
  ];
  for (const text of texts) {
    const log = await logged((to) => to.info({ err: new Error(text), title: text, [text || "key"]: text }, text));
    expect(log.endsWith("\n") && !log.slice(0, -1).includes("\n")).toBe(true);
    expect(JSON.parse(log)).toMatchObject({ level: 30 });
    // A terminal obeys none of it.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
    expect(log.slice(0, -1)).not.toMatch(/[\u0000-\u001F\u007F\u0080-\u009F]/);
  }
});
