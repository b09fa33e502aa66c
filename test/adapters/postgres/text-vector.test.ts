import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { textVector } from "../../../src/adapters/postgres/text-vector.ts";
import { tokenise } from "../../../src/domain/tokenise.ts";
import { contractDatabase } from "./contract-database.ts";

const db = await contractDatabase();
afterAll(() => db?.close());

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,9}$/),
  fc.stringMatching(/^[a-z0-9]{1,9}$/),
  fc.stringMatching(/^[0-9e]{1,5}[a-z]?$/),
  fc.constantFrom("http", "www", "com", "1e5", "0x1f", "a", "7"),
);
const words = fc.array(word, { maxLength: 60 }).map((all) => all.join(" "));

describe.skipIf(db === null)("a text vector that is made here", () => {
  if (db === null) return;
  const same = async (pairs: readonly (readonly [string, string])[]) => {
    const made = pairs.map(([first, second]) => textVector(first, second));
    const whole = pairs.filter((_, at) => made[at] !== null);
    const rows = await db.all<{ sent: Buffer }>(
      `SELECT tsvectorsend(setweight(to_tsvector('simple', one), 'A') || setweight(to_tsvector('simple', other), 'D')) AS sent
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS x (one, other, place) ORDER BY place`,
      [whole.map(([first]) => first), whole.map(([, second]) => second)],
    );
    return { told: made.filter((one) => one !== null).map(lexemes), right: rows.map(({ sent }) => lexemes(sent)) };
  };

  test("is the server's own, whatever letters and digits stand in it", async () => {
    const pairs = fc.sample(fc.tuple(words, words), { numRuns: 2_000, seed: 7 });
    const { told, right } = await same(pairs);
    expect(told).toEqual(right);
    expect(told.length).toBeGreaterThan(200);
  });

  test("is the server's own of what reviewers write", async () => {
    const said = tokenise(
      "`getUserId` may return null when HTTP2 is off: see utf8_decode(buf, 0x1F) in v2.17 — retry 3x",
    );
    const { told, right } = await same([[said.filter((one) => /^[a-z0-9]+$/.test(one)).join(" "), "fn get id 7"]]);
    expect(told).toEqual(right);
    expect(told).toHaveLength(1);
  });

  test("is left to the server where letters are not ASCII, where a number has an exponent, and where there is too much of it", () => {
    const many = Array.from({ length: 17_000 }, (_, at) => `w${at}`).join(" ");
    for (const text of ["größe", "12e3x", "a\u00a0b", "x".repeat(2_001), "a ".repeat(300), many, "y".repeat(200_001)])
      expect(textVector(text, "")).toBeNull();
    expect(textVector("a 12 e3", "a")).not.toBeNull();
  });
});

/** Sorted: the server sorts what it is sent. */
function lexemes(sent: Buffer): readonly string[] {
  const found: string[] = [];
  let at = 4;
  for (let left = sent.readInt32BE(0); left > 0; left -= 1) {
    const end = sent.indexOf(0, at);
    const places = Array.from({ length: sent.readUInt16BE(end + 1) }, (_, place) =>
      sent.readUInt16BE(end + 3 + place * 2),
    );
    found.push(`${sent.toString("latin1", at, end)} ${places.join()}`);
    at = end + 3 + places.length * 2;
  }
  return found.sort();
}
