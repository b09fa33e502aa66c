import fc from "fast-check";
import { expect, test } from "vitest";
import { replyStance } from "../../src/learn/reply-stance.ts";

test.each([
  ["By design because the list is built by us.", "declines"],
  ["This is intentional, see ADR 7.", "declines"],
  ["False positive: `name` comes from our inventory.", "declines"],
  ["Not a bug, the caller checks it.", "declines"],
  ["already validated in the router", "declines"],
  ["won't fix, since the script is deleted next week", "declines"],
  ["That's a test fixture.", "declines"],
  ["Nope.", "rejects"],
  ["I disagree", "rejects"],
  ["wontfix", "rejects"],
  ["Good catch, thanks!", "agrees"],
  ["Fixed in 3f2a1bc.", "agrees"],
  ["You're right. Done.", "agrees"],
  ["will fix", "agrees"],
  ["Is this really reachable?", "asks"],
  ["Why is that a problem?", "asks"],
  ["Let's talk about it tomorrow.", "other"],
  ["", "other"],
  ["👀", "other"],
  // Both sides.
  ["Good catch, but by design.", "other"],
  // Turned round.
  ["This is not by design.", "other"],
  ["Not sure whether this is a false positive", "other"],
  ["not fixed yet", "other"],
  ["This should be fixed", "other"],
  // Others' words.
  ["> by design because we say so\n\nHm.", "other"],
  ["```\n// intentional\n```", "other"],
  ["<!-- by design because hidden --> ok", "other"],
  ["`won't fix`", "other"],
])("%j %s", (body, stance) => {
  expect(replyStance(body)).toBe(stance);
});

test("never throws and ends quickly, whatever the text is", () => {
  fc.assert(fc.property(fc.string({ maxLength: 3_000 }), (body) => void replyStance(body)));
  for (const piece of ["```", "<!--", "not sure if this is ", "`", "> ", "by design ", "::"]) {
    expect(typeof replyStance(piece.repeat(200_000))).toBe("string");
  }
});
