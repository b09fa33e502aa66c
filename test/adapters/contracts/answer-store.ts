import { describe, expect, test } from "vitest";
import type { AnsweredComment } from "../../../src/ports/conversation.ts";
import type { OpenStateStores } from "./store-harness.ts";

const comment = (n: number, over: Partial<AnsweredComment> = {}): AnsweredComment => ({
  ...{ comment: `c${n}`, repo: "github.com/42", thread: "github.com/42#1!conversation", userId: 5 },
  ...over,
});

/** What every book of answers promises. */
export function answerStoreContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of a book of answers`, () => {
    test("answers count by person, repository, kind and age; a comment counts once, and never for itself", async () => {
      const { answers } = (await open()).stores;
      await answers.record({ ...comment(1), kind: "command", at: 100 });
      await answers.record({ ...comment(1), kind: "command", at: 200 });
      await answers.record({ ...comment(2), kind: "command", at: 300 });
      await answers.record({ ...comment(3), kind: "refusal", at: 300 });
      await answers.record({ ...comment(4, { userId: 6 }), kind: "command", at: 300 });
      await answers.record({ ...comment(5, { repo: "github.com/421" }), kind: "command", at: 300 });
      expect(await answers.given(comment(9), "command", 100)).toBe(2);
      expect(await answers.given(comment(9), "command", 101)).toBe(1);
      expect(await answers.given(comment(2), "command", 100)).toBe(1);
      expect(await answers.given(comment(9), "refusal", 0)).toBe(1);
      expect(await answers.given(comment(9, { userId: 7 }), "command", 0)).toBe(0);
    });

    test("replies in a row are counted since a person last mentioned the app in that thread", async () => {
      const { answers } = (await open()).stores;
      const say = (n: number, kind: "reply" | "command", over: Partial<AnsweredComment> = {}) =>
        answers.record({ ...comment(n, over), kind, at: 1 });
      await say(1, "reply");
      await say(2, "reply");
      expect(await answers.repliesInARow(comment(9))).toBe(2);
      await say(3, "command");
      expect(await answers.repliesInARow(comment(9))).toBe(0);
      await say(4, "reply");
      await say(5, "reply", { userId: 6 });
      await say(6, "reply", { thread: "github.com/42#1!thread-8" });
      expect(await answers.repliesInARow(comment(9))).toBe(2);
      expect(await answers.repliesInARow(comment(5))).toBe(1);
    });
  });
}
