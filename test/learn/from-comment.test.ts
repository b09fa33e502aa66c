import { expect, test } from "vitest";
import { memoryId } from "../../src/domain/memory.ts";
import { lowInformation } from "../../src/domain/text/low-information.ts";
import { fromComment } from "../../src/learn/remember/from-comment.ts";
import { givenComment, REPO } from "./memory-builders.ts";

const BY_PATH = { languageOf: (path: string) => (path.endsWith(".go") ? "go" : "unknown"), lowInformation: () => null };

test("a review comment becomes a memory of its text, not yet accepted", () => {
  expect(fromComment(givenComment(), REPO, BY_PATH)).toMatchObject({
    id: memoryId("github.com/42", "review_comment", "1843320011"),
    repo: "github.com/42",
    repoName: "acme/payments",
    corpus: "review_comment",
    language: "cpp",
    replies: ["Good catch, done in 3f2a1bc."],
    outcome: null,
    provenance: { author: "octocat", authorIsBot: false, pull: 12 },
    stale: false,
  });
});

test("the id comes from the source and not from the words", () => {
  const [before, after] = ["retry only on timeouts", "retry never"].map((text) =>
    fromComment(givenComment({ text }), REPO, BY_PATH),
  );
  expect(before).toHaveProperty("id", (after as { id: string }).id);
});

test("the stored language counts first; without one, the path does", () => {
  const languageOf = (language: string | null, path: string | null) =>
    fromComment(givenComment({ language, path }), REPO, BY_PATH);
  expect(languageOf("C#", "a.go")).toHaveProperty("language", "csharp");
  expect(languageOf("Unknown", "a.go")).toHaveProperty("language", "go");
  expect(languageOf(null, "a.go")).toHaveProperty("language", "go");
  expect(languageOf(null, null)).toHaveProperty("language", "unknown");
  expect(languageOf(null, "constructor")).toHaveProperty("language", "unknown");
});

test("an empty comment is not remembered, nor one that the rule for low information turns away", () => {
  const suggestion = "```suggestion\n  const total = 0;\n```";
  expect(fromComment(givenComment({ text: " \n" }), REPO, BY_PATH)).toHaveProperty("kind", "not-remembered");
  expect(fromComment(givenComment({ text: suggestion }), REPO, BY_PATH)).toHaveProperty("text", suggestion);
  expect(fromComment(givenComment({ text: suggestion }), REPO, { ...BY_PATH, lowInformation })).toEqual({
    kind: "not-remembered",
    sourceId: "1843320011",
    reason: "no words beside code and links",
  });
});

test("a bot's comment says that a bot wrote it, and a long hunk is cut", () => {
  const record = fromComment(
    givenComment({ isBot: true, hunk: `@@ -1 +1 @@\n${"+x\n".repeat(9_000)}` }),
    REPO,
    BY_PATH,
  );
  expect(record).toHaveProperty("provenance.authorIsBot", true);
  expect((record as { hunk: string }).hunk.length).toBeLessThanOrEqual(4_000);
});
