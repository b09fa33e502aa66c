import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filePattern } from "../../src/config/patterns.ts";
import {
  describeReply,
  findIdentifier,
  lessonProblems,
  readTags,
  situationProblems,
  takeFields,
} from "../../src/learn/remember/description-rules.ts";
import { LESSON, reply, SITUATION, TAGS } from "./model-descriptions.ts";

const names = (problems: readonly { readonly name: string }[]) => problems.map(({ name }) => name);
const situation = (text: string) => names(situationProblems(text));
const lesson = (text: string) => names(lessonProblems(text));

/** Words that are nothing in particular. */
const padding = (count: number) => Array.from({ length: count }, () => "quite").join(" ");

const GOOD_SITUATIONS = [
  SITUATION,
  "A handler reads a member from the request context and uses one of its attributes without checking for null, although requests that authenticate with a token carry no member at all, so the lookup crashes for valid callers.",
  "A view concatenates a user-supplied address into raw markup inside an attribute, and nothing escapes quotes before the string reaches the browser, so that a crafted value breaks out of the attribute and injects script.",
  "The test waits a fixed number of seconds for a background job and then compares the stored counter, while nothing signals that the job finished, which makes the assertion pass or fail depending on the load of the machine.",
  "A migration adds a column with a default to a table that holds millions of rows and locks it for the whole rewrite, and no step splits the change, so that requests time out while the deployment runs.",
];

describe("a situation", () => {
  test.each(GOOD_SITUATIONS)(
    "of the requested length with structure, pattern and gap breaks no rule: %s [002-04]",
    (text) => {
      expect(situation(text)).toEqual([]);
    },
  );

  test("is of 20 to 70 words [002-04]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 200 }), (count) => {
        const core = "a loop retries without any limit at all";
        const text = `${core} ${padding(count - 8)}`.trim();
        expect(situation(text)).toEqual([...(count < 20 ? ["too-short"] : []), ...(count > 70 ? ["too-long"] : [])]);
      }),
      // Both sides of both ends, which a draw from two hundred may miss.
      { examples: [[19], [20], [70], [71]] },
    );
  });

  test.each([
    "should",
    "must",
    "consider",
    "Avoid",
    "ensure",
    "recommended",
    "prefer",
    "let's",
    "needs to",
    "make sure",
  ])("that says %s gives advice", (word) => {
    fc.assert(
      fc.property(fc.nat(SITUATION.split(" ").length), (at) => {
        const words = SITUATION.split(" ");
        expect(situation([...words.slice(0, at), word, ...words.slice(at)].join(" "))).toEqual(["advice-words"]);
      }),
      { numRuns: 20 },
    );
  });

  test("names what it does not contain [002-07]", () => {
    expect(situation(padding(30))).toEqual(["missing-structure", "missing-pattern", "missing-gap"]);
    expect(situation(`A retried loop ${padding(30)}`)).toEqual(["missing-gap"]);
    expect(situation(`The columns ${padding(30)} without`)).toEqual(["missing-pattern"]);
    expect(situation(`It retries ${padding(30)} without`)).toEqual(["missing-structure"]);
    expect(situation("")).toEqual(["too-short", "missing-structure", "missing-pattern", "missing-gap"]);
  });

  test("knows words by their base form", () => {
    expect(situation(`Queries are being copied, unchecked ${padding(30)}`)).toEqual([]);
    expect(situation(`Classes stopped caching, isn’t ${padding(30)}`)).toEqual([]);
  });

  test.each([
    "getUserById",
    "UserService",
    "user_id",
    "MAX_RETRIES",
    "charge()",
    "src/db/pool.ts",
    "std::move",
    "pool.acquire",
    "`total`",
    "<Provider>",
    "@Inject",
    "step2b",
    "../retry",
    "node->next",
  ])("that names %s names something of this code [002-04]", (name) => {
    expect(situation(`${SITUATION.slice(0, -1)} by ${name}.`)).toEqual(["identifier"]);
    expect(findIdentifier(`calls (${name}), twice`)).not.toBeNull();
  });

  test.each([
    "JavaScript",
    "GitHub's",
    "OAuth",
    "PostgreSQL",
    "Node.js",
    "e.g.",
    "and/or",
    "I/O",
    "C++",
    "HTTP",
    "UTF-8",
    "O(n)",
    "macOS",
    "user-supplied",
  ])("that names %s names nothing of this code", (name) => {
    expect(findIdentifier(`a loop in ${name}, twice`)).toBeNull();
  });
});

describe("a lesson", () => {
  test.each([
    [19, ["too-short"]],
    [20, []],
    [220, []],
    [221, ["too-long"]],
  ])("of %i characters", (chars, problems) => {
    expect(lesson(`Close it ${"x".repeat(chars - 10)}.`)).toEqual(problems);
  });

  test.each([
    LESSON,
    "Never build a shell command from user input; pass the arguments as a list.",
    "Do not hold a lock while you wait for the network.",
    "Close the response body on every path, e.g. with a deferred call.",
    "Check that the member is present before reading its attributes",
  ])("that begins with what to do and is one sentence breaks no rule: %s [002-05]", (text) => {
    expect(lesson(text)).toEqual([]);
  });

  test.each([
    ["Be nice.", ["too-short", "no-cue-word"]],
    ["The response body is never closed on the error path.", ["no-cue-word"]],
    ["You could close the response body on every path.", ["no-cue-word"]],
    ["Close the response body. Also check its status.", ["several-sentences"]],
    ["", ["too-short", "no-cue-word"]],
    [`Close ${"the body and ".repeat(18)}it`, ["too-long"]],
  ])("%s breaks %j", (text, broken) => {
    expect(lesson(text)).toEqual(broken);
  });

  test("is of 20 to 220 characters [002-05]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 400 }), (length) => {
        const text = `Close ${"x".repeat(length - 6)}`;
        expect(lesson(text)).toEqual([...(length < 20 ? ["too-short"] : []), ...(length > 220 ? ["too-long"] : [])]);
      }),
    );
  });
});

describe("tags", () => {
  test("are three to five of two to four words, in lower case, each once [002-08]", () => {
    expect(readTags(["Retry  Loop", "retry loop", "missing\nbackoff", "Payment API call"])).toEqual({
      tags: ["retry loop", "missing backoff", "payment api call"],
      problems: [],
    });
    expect(readTags(JSON.stringify(TAGS))).toEqual({ tags: TAGS, problems: [] });
  });

  test.each([
    [null, "not-a-list"],
    ["retry loop, missing backoff", "not-a-list"],
    [{ 0: "retry loop", length: 1 }, "not-a-list"],
    [["retry loop", 7, "missing backoff"], "not-a-list"],
    [["retry loop", "missing backoff"], "too-few"],
    [["a b", "c d", "e f", "g h", "i j", "k l"], "too-many"],
    [["retry", "missing backoff", "payment call"], "words-of-a-tag"],
    [["one two three four five", "missing backoff", "payment call"], "words-of-a-tag"],
  ])("%j are none, by the rule %s [002-08]", (value, rule) => {
    const { tags, problems } = readTags(value);
    expect({ tags, rules: names(problems) }).toEqual({ tags: [], rules: [rule] });
  });

  test("for any model reply, they keep the rules or are none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.json(), fc.array(fc.string())), (value) => {
        const { tags, problems } = readTags(value);
        if (problems.length > 0) {
          expect(tags).toEqual([]);
          return;
        }
        expect(tags.length).toBeGreaterThanOrEqual(3);
        expect(tags.length).toBeLessThanOrEqual(5);
        for (const tag of tags) expect(tag.split(" ").length).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe("a reply", () => {
  test("that breaks rules gets all of them by name, so that it can be fixed [002-07]", () => {
    const { shape, last } = describeReply();
    const reported = shape.check(reply({ situation: "You should use userId.", lesson: "Nice.", tags: ["one"] }));
    expect(reported).toMatchObject({ ok: false });
    if (reported.ok) return;
    for (const name of ["situation/too-short", "situation/advice-words", "situation/identifier"])
      expect(reported.problem).toContain(name);
    for (const name of ["lesson/too-short", "lesson/no-cue-word", "tags/too-few"])
      expect(reported.problem).toContain(name);
    expect(last()).toMatchObject({ lesson: "Nice." });
    expect(shape.check(reply())).toMatchObject({ ok: true });
  });

  test("that still breaks a rule gives no fields and the rules; tags may fail alone", () => {
    const draft = (over: object) => {
      const { shape, last } = describeReply();
      shape.check(reply({ ...over }));
      return takeFields(last() ?? expect.fail("no draft"));
    };
    expect(draft({ lesson: "Nice." })).toEqual({
      situation: null,
      lesson: null,
      tags: [],
      confidence: 1,
      problems: ["lesson/too-short", "lesson/no-cue-word"],
    });
    expect(draft({ tags: "none" })).toMatchObject({
      situation: SITUATION,
      lesson: LESSON,
      tags: [],
      problems: ["tags/not-a-list"],
    });
    expect(draft({ situation: `${SITUATION}\n\u0000` })).toMatchObject({ situation: SITUATION, problems: [] });
  });

  test("that rejects the comment has the reason", () => {
    const rejected = (reason: string | null) => {
      const { shape } = describeReply();
      const read = shape.check(reply({ status: "rejected", reason, situation: null, lesson: null, tags: [] }));
      return read.ok ? takeFields(read.value).problems : read.problem;
    };
    expect(rejected("declined")).toEqual(["rejected/declined"]);
    expect(rejected(" Chat ")).toEqual(["rejected/chat"]);
    expect(rejected("constructor")).toEqual(["rejected/unclear"]);
    expect(rejected(null)).toEqual(["rejected/unclear"]);
  });

  test.each([
    ["high", 1],
    ["medium", 0.7],
    ["Low", 0.4],
    ["certain", 0.5],
    [null, 0.5],
    ["__proto__", 0.5],
  ])("that is %j sure counts %d [002-38]", (confidence, counted) => {
    const { shape } = describeReply();
    const read = shape.check(reply({ confidence }));
    expect(read.ok && takeFields(read.value).confidence).toBe(counted);
  });

  test("never makes the rules throw, and what is kept always keeps them", () => {
    const text = fc.oneof(fc.string(), fc.constant(SITUATION), fc.constant(LESSON), fc.constant(null));
    const any = fc.record({
      status: fc.constantFrom("memory", "rejected"),
      reason: text,
      situation: text,
      lesson: text,
      tags: fc.anything(),
      confidence: text,
    });
    fc.assert(
      fc.property(fc.oneof(any, fc.anything()), (value) => {
        const { shape, last } = describeReply();
        shape.check(value);
        const draft = last();
        if (draft === null) return;
        const taken = takeFields(draft);
        expect(taken.situation === null).toBe(taken.lesson === null);
        if (taken.situation !== null) expect(situationProblems(taken.situation)).toEqual([]);
        if (taken.lesson !== null) expect(lessonProblems(taken.lesson)).toEqual([]);
      }),
    );
  });
});

test("long texts are judged at once", () => {
  const length = process.env.NIGHTLY === "1" ? 1 << 20 : 1 << 17;
  const started = performance.now();
  for (const text of [
    "a".repeat(length),
    "a ".repeat(length / 2),
    "`".repeat(length),
    "a.".repeat(length / 2),
    "is ".repeat(length / 2),
  ]) {
    situationProblems(text);
    lessonProblems(text);
  }
  // A watchdog: it takes a tenth of this.
  expect(performance.now() - started).toBeLessThan(30_000);
});

test.each([
  ["src/db/pool.ts", "src/db/*.ts"],
  ["pool.ts", "*.ts"],
  ["src/db/pool.test.ts", "src/db/*.ts"],
  ["Makefile", "Makefile"],
  ["conf/.env", "conf/.env"],
  ["app/[slug]/page.tsx", "app/\\[slug\\]/*.tsx"],
  ["a/constructor", "a/constructor"],
  ["folder/", null],
  ["", null],
  [null, null],
])("the files beside %j are %j [002-38]", (path, pattern) => {
  expect(filePattern(path)).toBe(pattern);
});
