import fc from "fast-check";
import { expect, test } from "vitest";
import { readVerdict } from "../../src/learn/read-verdict.ts";

test.each([
  ["Done", "fixed"],
  ["Done in 3f2a1bc.", "fixed"],
  ["Good catch, done in 3f2a1bc.", "fixed"],
  ["Thanks! I've addressed this.", "fixed"],
  ["This has been fixed in #12", "fixed"],
  ["✅", "fixed"],
  ["Good catch!", "accepted"],
  ["You’re right, I'll change it tomorrow", "accepted"],
  ["👍", "accepted"],
  ["Won't fix: the caller checks it.", "declined"],
  ["That is not a bug", "declined"],
  ["This is by design.", "declined"],
  ["I don't agree", "declined"],
  ["Good catch, but out of scope for this pull request", "declined"],
])("%j says %s", (body, verdict) => expect(readVerdict(body)).toBe(verdict));

test.each([
  // Taken back, put off, or asked.
  ["Not done yet"],
  ["done?"],
  ["Is this fixed?"],
  ["Once this is fixed, we can merge"],
  ["This should be fixed in the next release"],
  ["I don't think this is by design."],
  ["This is not a false positive"],
  ["Doesn't make sense"],
  // About the code and not about the comment.
  ["Fixed size arrays are faster here"],
  ["We have done this in other places"],
  ["`done`"],
  ["```\nfixed\n```"],
  ["> done\n\nWhat do you mean by that"],
  // Both at once.
  ["This was by design, but fixed anyway"],
  [""],
])("%j says nothing", (body) => expect(readVerdict(body)).toBeNull());

test("a negation in front takes every phrase back", () => {
  const negations = fc.constantFrom("I don't think it's", "never", "it is hardly", "unless this is", "why is this");
  const phrases = fc.constantFrom("by design", "a false positive", "a good catch", "out of scope", "fixed", "done");
  fc.assert(
    fc.property(negations, phrases, (negation, phrase) => {
      expect(readVerdict(`${negation} ${phrase}`)).toBeNull();
    }),
  );
});

test("what is quoted or fenced changes nothing", () => {
  const replies = fc.constantFrom("Done", "won't fix", "Good catch", "What do you mean");
  fc.assert(
    fc.property(replies, fc.constantFrom("fixed", "by design", "agreed"), (reply, word) => {
      expect(readVerdict(`> ${word}\n\n${reply}`)).toBe(readVerdict(reply));
      expect(readVerdict(`${reply}\n\n\`\`\`\n${word}\n\`\`\`\n`)).toBe(readVerdict(reply));
    }),
  );
});

test("any text is read without a throw, and a very long one at once", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => void readVerdict(text)));
  for (const text of ["not ".repeat(300_000), ",".repeat(1_000_000), "`".repeat(1_000_000), "done".repeat(250_000)]) {
    expect(readVerdict(text)).toBeNull();
  }
});
