import { expect, test } from "vitest";
import {
  type EmbeddedForm,
  SITUATION,
  TEXT_ONLY,
  WITH_CODE,
  WITH_TAGS,
  withoutContext,
} from "../../eval/embedded-forms.ts";
import { digest } from "../../src/learn/remember/embedding-text.ts";
import { recordTerms } from "../../src/search/terms.ts";
import { givenRecord } from "./memory-builders.ts";

const FIELDS = {
  situation: "A payment call is repeated in a loop without telling transient from final failures.",
  tags: ["retry loop", "missing error distinction", "double charge"],
  lesson: "Retry only failures that are known to be transient.",
};

test("the context comes before the text: repository, path without its extension, category", () => {
  expect(digest(givenRecord())).toBe(
    "acme/payments · src/charge/retry · correctness\n" +
      "Only retry on timeouts: a declined card must not be charged twice.",
  );
});

test("an absent path and category are not said", () => {
  const record = givenRecord({ path: null, category: null });
  expect(digest(record).split("\n")[0]).toBe("acme/payments");
});

test("the same memory about another extension and language has the same text and the same search terms [004-12]", () => {
  for (const corpus of ["review_comment", "finding", "doc", "wiki"] as const) {
    const told = (extension: string, language: string) => {
      const tags = corpus === "doc" || corpus === "wiki" ? [language] : [];
      const record = givenRecord({ corpus, path: `src/charge/retry${extension}`, language, tags });
      return { text: digest(record), terms: recordTerms(record) };
    };
    for (const [extension, language] of [
      [".py", "python"],
      [".md", "markdown"],
      [".json", "json"],
      ["", "unknown"],
    ] as const)
      expect(told(extension, language)).toEqual(told(".cc", "cpp"));
  }
});

test("situation, tags and lesson are joined where a model has written them [002-09]", () => {
  expect(digest(withoutContext(givenRecord(FIELDS)))).toBe(
    `${FIELDS.situation} | retry loop | missing error distinction | double charge | ${FIELDS.lesson}`,
  );
});

test("each field can be left out of what is embedded, so that its worth can be measured [002-09]", () => {
  const of = (form: EmbeddedForm, record = givenRecord(FIELDS)) => digest(withoutContext(form(record)));
  expect(of(SITUATION)).toBe(FIELDS.situation);
  expect(of(WITH_TAGS)).toBe([FIELDS.situation, ...FIELDS.tags].join(" | "));
  for (const form of [SITUATION, WITH_TAGS]) expect(of(form, givenRecord())).toBe(givenRecord().text);
});

test("tags alone do not take the place of what was said", () => {
  const record = givenRecord({ tags: ["retry loop"] });
  expect(digest(withoutContext(record))).toBe(record.text);
});

test("each kind can be switched on", () => {
  const record = givenRecord(FIELDS);
  expect(digest(TEXT_ONLY(record))).toBe(record.text);
  expect(digest(withoutContext(WITH_CODE(record)))).toBe(`${record.text}\n${record.hunk}`);
});

test("a document is embedded by its own words, though its tags name languages", () => {
  const record = givenRecord({ corpus: "doc", tags: ["python"], symbol: "Errors > Retry", text: "Retry thrice." });
  expect(digest(record)).toMatch(/ · Errors > Retry\nRetry thrice\.$/);
});

test("a record that says nothing gives no text, and no text is longer than the cap", () => {
  expect(digest(givenRecord({ text: "  " }))).toBe("");
  const long = digest(givenRecord({ text: "😀".repeat(20_000) }));
  expect(long.length).toBeLessThanOrEqual(12_000);
  expect(long.isWellFormed()).toBe(true);
});
