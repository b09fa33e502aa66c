import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PastAuthor, PastComment, PastThread } from "../../src/domain/memory/past-reviews.ts";
import { lowInformation } from "../../src/domain/text/low-information.ts";
import { inferOutcome } from "../../src/learn/feedback/weigh-evidence.ts";
import { fromThread, type ThreadRules } from "../../src/learn/remember/from-comment.ts";
import { AT, REPO } from "./memory-builders.ts";

const INES: PastAuthor = { id: 1, login: "ines", isBot: false, association: "MEMBER" };
const MALLORY: PastAuthor = { id: 2, login: "mallory", isBot: false, association: "FIRST_TIME_CONTRIBUTOR" };
const RABBIT: PastAuthor = { id: 3, login: "coderabbitai[bot]", isBot: true, association: "NONE" };
const RULES: ThreadRules = {
  languageOf: (path) => (path.endsWith(".cc") ? "C++" : "unknown"),
  lowInformation,
  mayDecide: (id) => id === INES.id,
  ownLogin: "kodiai[bot]",
};

function comment(with_: Partial<PastComment> = {}): PastComment {
  return {
    id: 1_843_320_011,
    place: "line",
    pull: 12,
    replyTo: null,
    body: "This retries on every error. A declined card must not be charged twice, so only retry on timeouts.",
    path: "src/charge/retry.cc",
    hunk: "@@ -10,4 +10,6 @@ void Charge::retry() {\n+    submit(card);",
    author: INES,
    isOutdated: false,
    sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    url: "https://github.com/acme/payments/pull/12#discussion_r1843320011",
    at: AT,
    ...with_,
  };
}
const reply = (body: string, author = INES) => comment({ id: 9, replyTo: 1_843_320_011, body, author, at: AT + 1 });
const thread = (with_: Partial<PastThread> = {}): PastThread => {
  return { root: comment(), replies: [], isChanged: false, isResolved: false, ...with_ };
};
const decide = (given: PastThread) => inferOutcome(given, RULES.mayDecide);

describe("the outcome of a thread", () => {
  test("is the last verdict of a person with write access", () => {
    expect(decide(thread({ replies: [reply("Won't fix"), reply("You're right, done")] }))).toBe("fixed");
    expect(decide(thread({ replies: [reply("Done"), reply("Reverted, this is by design")] }))).toBe("declined");
    expect(decide(thread({ replies: [reply("Good catch"), reply("How is the weather")] }))).toBe("accepted");
  });

  test("is not decided by strangers and bots, however many", () => {
    const strangers = Array.from({ length: 500 }, () => reply("This is by design, won't fix", MALLORY));
    expect(decide(thread({ replies: [...strangers, reply("Fixed", RABBIT)] }))).toBeNull();
    expect(decide(thread({ replies: [reply("Done"), ...strangers] }))).toBe("fixed");
  });

  test("without words comes from the line: changed and resolved is fixed, changed is outdated, else nothing is known", () => {
    expect(decide(thread({ isChanged: true, isResolved: true }))).toBe("fixed");
    expect(decide(thread({ isChanged: true }))).toBe("outdated");
    expect(decide(thread({ isResolved: true }))).toBeNull();
    // The line is not what it was, and nobody whose change counts did that.
    expect(decide(thread({ root: comment({ isOutdated: true }), isResolved: true }))).toBeNull();
    expect(decide(thread({ isChanged: true, isResolved: true, replies: [reply("by design")] }))).toBe("declined");
  });

  test("is never posted or reintroduced, and what strangers add never changes it", () => {
    const texts = fc.constantFrom("Done", "won't fix", "Good catch", "by design", "hm", "not done", "👍");
    const replies = fc.array(
      fc
        .record({ body: texts, author: fc.constantFrom(INES, MALLORY, RABBIT) })
        .map(({ body, author }) => reply(body, author)),
    );
    fc.assert(
      fc.property(replies, fc.boolean(), fc.boolean(), (given, isChanged, isResolved) => {
        const at = { root: comment(), isChanged, isResolved };
        const all = decide({ ...at, replies: given });
        expect([null, "accepted", "declined", "fixed", "outdated"]).toContain(all);
        const deciders = given.filter(({ author }) => author === INES);
        expect(decide({ ...at, replies: deciders })).toBe(all);
      }),
    );
  });
});

describe("a thread", () => {
  test("becomes a memory with where it came from, what was answered and what became of it", () => {
    const replies = [reply("What about timeouts?", MALLORY), reply("Good catch, done in 3f2a1bc.")];
    expect(fromThread(thread({ replies }), REPO, RULES)).toMatchObject({
      corpus: "review_comment",
      sourceId: "1843320011",
      path: "src/charge/retry.cc",
      language: "C++",
      outcome: "fixed",
      // What somebody without write access said is not part of it.
      replies: ["Good catch, done in 3f2a1bc."],
      provenance: { author: "ines", authorIsBot: false, pull: 12, at: AT, url: comment().url },
    });
  });

  test("has an id of its own in each place, though GitHub counts them apart and numbers meet", () => {
    const ids = (["line", "conversation", "review"] as const).map((place) => {
      const made = fromThread(thread({ root: comment({ place }) }), REPO, RULES);
      return "id" in made ? made.id : null;
    });
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain(null);
  });

  test.each([
    ["by a person without write access", { author: MALLORY }, []],
    ["by a bot, and no one with write access decided about it", { author: RABBIT }, []],
    ["by a bot, and no one with write access decided about it", { author: RABBIT, isOutdated: true }, []],
    ["our own finding, remembered as such", { author: { ...RABBIT, login: "kodiai[bot]" } }, [reply("done")]],
    ["a command to a bot", { body: "@dependabot rebase this whole branch once more, please" }, []],
    ["a command to a bot", { body: "/retest all of the integration suites again" }, []],
    ["fewer than 25 characters beside code and links", { body: "LGTM" }, []],
    ["it is empty", { body: " \n" }, []],
  ] satisfies readonly (readonly [string, Partial<PastComment>, readonly PastComment[]])[])(
    "is left out when it is %s",
    (reason, with_, replies) => {
      const made = fromThread(thread({ root: comment(with_), replies }), REPO, RULES);
      expect(made).toMatchObject({ kind: "not-remembered", reason });
    },
  );

  test("of a bot is remembered, and marked, if a person with write access decided about it", () => {
    const made = fromThread(thread({ root: comment({ author: RABBIT }), replies: [reply("Done")] }), REPO, RULES);
    expect(made).toMatchObject({ outcome: "fixed", provenance: { author: "coderabbitai[bot]", authorIsBot: true } });
  });

  test("of any shape is answered without a throw, and at once", () => {
    const long = comment({ body: "<img src=x onerror=alert(1)>".repeat(3_000), hunk: `@@\n${"+x".repeat(500_000)}` });
    expect(fromThread(thread({ root: long }), REPO, RULES)).toBeDefined();
    const body = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(body, body, (one, other) => {
        fromThread(thread({ root: comment({ body: one }), replies: [reply(other)] }), REPO, RULES);
      }),
    );
  });
});
