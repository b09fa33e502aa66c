import { expect, test } from "vitest";
import { shortlist, shortlistIndex } from "../../src/retrieve/shortlist.ts";
import { change, comment } from "./ranking.ts";

const noise = Array.from({ length: 40 }, (_, at) =>
  comment({
    id: `n${at}`,
    pr: at,
    path: `docs/${at}.md`,
    language: "Markdown",
    text: `Heading number ${at} wants a full stop.`,
  }),
);

test("a memory that fits the words and place of the change is never cut before ones that fit neither", () => {
  const memories = [...noise, comment({ id: "leak" })];
  const kept = shortlist(change({}), memories, shortlistIndex(memories), 5);
  expect(kept).toHaveLength(5);
  expect(kept.map(({ id }) => id)).toContain("leak");
});

test("a small memory is not cut", () => {
  expect(shortlist(change({}), noise, shortlistIndex(noise))).toBe(noise);
});
