import { expect, test } from "vitest";
import { didYouMean } from "../../src/config/did-you-mean.ts";

const KEYS = ["enabled", "profile", "maxComments", "drafts", "labels", "docs"];

test.each([
  ["profil", "profile"],
  ["Profiel", "profile"],
  ["max-comment", "maxComments"],
  ["MAX_COMMENTS", "maxComments"],
  ["draft", "drafts"],
  ["doc", "docs"],
  ["lable", "labels"],
])("%s means %s", (word, meant) => {
  expect(didYouMean(word, KEYS)).toBe(meant);
});

test.each(["", "zebra", "do", "x".repeat(100_000), "constructor"])("nothing is near %.20s", (word) => {
  expect(didYouMean(word, KEYS)).toBeNull();
});
