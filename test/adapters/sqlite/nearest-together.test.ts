import { expect, test } from "vitest";
import { nearestTogether } from "../../../src/adapters/memory/nearest-together.ts";
import type { Scope } from "../../../src/domain/retrieval.ts";
import type { TellDegraded } from "../../../src/ports/memory.ts";

const SPACE = { model: "voyage-code-3", dimension: 2 };
const SCOPE: Scope = { repo: "github.com/42", ownerPool: null, excludePull: 7, before: null };

/** Tells each vector's first component as a distance, and how many vectors came in each question. */
function asked() {
  const questions: number[] = [];
  const nearest = nearestTogether(([_scope, vectors], tell) => {
    questions.push(vectors.length);
    if (vectors.some(([first]) => first === 13)) tell("damaged-vectors", "the vector of a memory is damaged");
    return Promise.resolve(vectors.map((vector) => [{ id: "mem_1", distance: vector[0] ?? 0 }]));
  });
  const ask = (first: number, scope = SCOPE, k = 5, tell?: TellDegraded) =>
    nearest(scope, Float32Array.of(first, 1), SPACE, k, {}, tell);
  return { questions, ask };
}

const distances = (lists: readonly (readonly { readonly distance: number }[])[]) => lists.map(([hit]) => hit?.distance);

test("what is asked at once is one question, and everybody gets the own answer", async () => {
  const { questions, ask } = asked();
  expect(distances(await Promise.all([ask(1), ask(2), ask(3)]))).toEqual([1, 2, 3]);
  expect(distances([await ask(4), await ask(5)])).toEqual([4, 5]);
  expect(questions).toEqual([3, 1, 1]);
});

test("questions of different scopes or sizes are never put together", async () => {
  const { questions, ask } = asked();
  const lists = await Promise.all([ask(1), ask(2, { ...SCOPE, excludePull: 8 }), ask(3, SCOPE, 6), ask(4)]);
  expect(distances(lists)).toEqual([1, 2, 3, 4]);
  expect(questions).toEqual([2, 1, 1]);
});

test("a vector that is refused fails alone", async () => {
  const { questions, ask } = asked();
  const [one, refused, other] = await Promise.allSettled([ask(1), ask(Number.NaN), ask(2)]);
  expect([one?.status, refused?.status, other?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(refused).toHaveProperty("reason", expect.any(RangeError));
  expect(questions).toEqual([2]);
});

test("what makes the one answer poorer is told to all who asked for it and to nobody else", async () => {
  const { ask } = asked();
  const told: string[] = [];
  const tell = (name: string) => (part: string) => void told.push(`${name}: ${part}`);
  await Promise.all([ask(13, SCOPE, 5, tell("one")), ask(2, SCOPE, 5, tell("two")), ask(3, SCOPE, 6, tell("other"))]);
  await ask(4, SCOPE, 5, tell("later"));
  expect(told).toEqual(["one: damaged-vectors", "two: damaged-vectors"]);
});
