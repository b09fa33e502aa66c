import { expect, test } from "vitest";
import {
  findingMarker,
  hasSummaryMarker,
  parseFindingMarker,
  parseReviewMarker,
  reviewMarker,
  SUMMARY_MARKER,
} from "../../src/domain/review/marker.ts";
import { HEAD } from "../review/review-builders.ts";

test("a marker reads back as what it was made of", () => {
  expect(parseFindingMarker(`text\n\n${findingMarker(["fnd_5d41402abc4b"])}`)).toEqual(["fnd_5d41402abc4b"]);
  expect(parseFindingMarker(findingMarker(["fnd_2", "fnd_1"]))).toEqual(["fnd_2", "fnd_1"]);
  expect(parseReviewMarker(`text\n${reviewMarker(HEAD)}`)).toBe(HEAD);
  expect(hasSummaryMarker(`text\n${SUMMARY_MARKER}`)).toBe(true);
});

test("only our own grammar is read", () => {
  for (const text of ["", "<!-- kodiai:finding -->", "<!-- kodiai:finding a  b -->", "<!--kodiai:finding a-->"]) {
    expect(parseFindingMarker(text)).toEqual([]);
    expect(hasSummaryMarker(text)).toBe(false);
  }
  expect(parseReviewMarker("<!-- kodiai:review HEAD -->")).toBeNull();
});

test("the last finding marker counts, because ours is last", () => {
  expect(parseFindingMarker(`${findingMarker(["fnd_1"])} quoted\n${findingMarker(["fnd_2"])}`)).toEqual(["fnd_2"]);
});

test("what could not be read back is not written", () => {
  for (const ids of [["a --> b"], ["fnd_1", "a b"], []]) expect(() => findingMarker(ids)).toThrow(RangeError);
  expect(() => reviewMarker("HEAD")).toThrow(RangeError);
});
