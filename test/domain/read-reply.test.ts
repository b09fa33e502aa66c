import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReplyReading, readReply } from "../../src/domain/memory/read-reply.ts";

const stanceOf = (body: string) => readReply(body).stance;

test.each([
  ["By design because the list is built by us.", "declines"],
  ["This is intentional, see ADR 7.", "declines"],
  ["This is intentional, see the RFC.", "declines"],
  ["False positive: `name` comes from our inventory.", "declines"],
  ["Not a bug, the caller checks it.", "declines"],
  ["That is not a bug", "declines"],
  ["This isn't a vulnerability", "declines"],
  ["already validated in the router", "declines"],
  ["won't fix, since the script is deleted next week", "declines"],
  ["Won't fix: the caller checks it.", "declines"],
  ["won’t do, out of scope", "declines"],
  ["That's a test fixture.", "declines"],
  ["This is by design.", "declines"],
  ["Good catch, but out of scope for this pull request", "declines"],
  ["Good catch, but by design.", "declines"],
  ["Nope.", "rejects"],
  ["No.", "rejects"],
  ["👎", "rejects"],
  ["I disagree", "rejects"],
  ["I don't agree", "rejects"],
  ["wontfix", "rejects"],
  ["I would rather keep it", "rejects"],
  ["Good catch!", "agrees"],
  ["You’re right, I'll change it tomorrow", "agrees"],
  ["👍", "agrees"],
  ["Good catch, thanks!", "agrees"],
  ["will fix", "agrees"],
] as const)("%j %s, and does not say that anything was done", (body, stance) => {
  expect(readReply(body)).toEqual({ stance, saysDone: false });
});

test.each([
  ["Done"],
  ["Done in 3f2a1bc."],
  ["Fixed in 3f2a1bc."],
  ["You're right. Done."],
  ["Good catch, done in 3f2a1bc."],
  ["Thanks! I've addressed this."],
  ["This has been fixed in #12"],
  ["✅"],
])("%j agrees and says that it was done", (body) => {
  expect(readReply(body)).toEqual({ stance: "agrees", saysDone: true });
});

test.each([["Is this really reachable?"], ["Why is that a problem?"], ["done?"], ["Is this fixed?"]])(
  "%j asks",
  (body) => {
    expect(stanceOf(body)).toBe("asks");
  },
);

test.each([
  // Taken back or put off.
  ["Not done yet"],
  ["not fixed yet"],
  ["Once this is fixed, we can merge"],
  ["This should be fixed in the next release"],
  ["This should be fixed"],
  ["I don't think this is by design."],
  ["This is not by design."],
  ["This is not a false positive"],
  ["Not sure whether this is a false positive"],
  ["Doesn't make sense"],
  // About the code and not about the comment.
  ["Fixed size arrays are faster here"],
  ["We have done this in other places"],
  ["No problem"],
  ["Please add test data for that"],
  ["Let's talk about it tomorrow."],
  // Others' words, and no words.
  ["`done`"],
  ["`won't fix`"],
  ["```\nfixed\n```"],
  ["```\n// intentional\n```"],
  ["<!-- by design because hidden --> ok"],
  ["> done\n\nWhat do you mean by that"],
  ["> by design because we say so\n\nHm."],
  // Done and rejected at once.
  ["This was by design, but fixed anyway"],
  ["👀"],
  [""],
])("%j takes no side", (body) => expect(stanceOf(body)).toBe("other"));

describe("for any reply", () => {
  const NOTHING: ReplyReading = { stance: "other", saysDone: false };

  test("a negation in front takes every phrase back", () => {
    const negations = fc.constantFrom("I don't think it's", "never", "it is hardly", "unless this is", "why is this");
    const phrases = fc.constantFrom("by design", "a false positive", "a good catch", "out of scope", "fixed", "done");
    fc.assert(
      fc.property(negations, phrases, (negation, phrase) => {
        expect(readReply(`${negation} ${phrase}`)).toEqual(NOTHING);
      }),
    );
  });

  test("what is quoted or fenced changes nothing", () => {
    const replies = fc.constantFrom("Done", "won't fix", "Good catch", "What do you mean");
    fc.assert(
      fc.property(replies, fc.constantFrom("fixed", "by design", "agreed"), (reply, word) => {
        expect(readReply(`> ${word}\n\n${reply}`)).toEqual(readReply(reply));
        expect(readReply(`${reply}\n\n\`\`\`\n${word}\n\`\`\`\n`)).toEqual(readReply(reply));
      }),
    );
  });

  test("it is read without a throw, and a very long one at once", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => void readReply(text)));
    fc.assert(fc.property(fc.string({ maxLength: 3_000 }), (text) => void readReply(text)));
    for (const text of ["not ".repeat(300_000), ",".repeat(1_000_000), "`".repeat(1_000_000), "done".repeat(250_000)]) {
      expect(readReply(text)).toEqual(NOTHING);
    }
    for (const piece of ["```", "<!--", "not sure if this is ", "`", "> ", "by design ", "::"]) {
      expect(typeof stanceOf(piece.repeat(200_000))).toBe("string");
    }
  });
});
