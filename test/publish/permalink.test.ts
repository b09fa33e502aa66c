import { describe, expect, test } from "vitest";
import { linkedCode, linkedCommit, permalink, safeUrl } from "../../src/publish/permalink.ts";
import { HEAD, REPO } from "../review/review-builders.ts";

const at = (path: string, startLine = 3, line = 3) => permalink(REPO, HEAD, path, { startLine, line });
const ROOT = `https://github.com/acme/shop/blob/${HEAD}`;

describe("permalink", () => {
  test.each([
    ["src/a.ts", `${ROOT}/src/a.ts#L3`],
    ["src/C++/a b#c?.h", `${ROOT}/src/C%2B%2B/a%20b%23c%3F.h#L3`],
    ["a(b)[c]'!*~.py", `${ROOT}/a%28b%29%5Bc%5D%27%21%2A%7E.py#L3`],
    ["漢.go", `${ROOT}/%E6%BC%A2.go#L3`],
    ["README.md", `${ROOT}/README.md?plain=1#L3`],
    ["\ud800.c", `${ROOT}/%EF%BF%BD.c#L3`],
  ])("leads to %j", (path, url) => {
    expect(at(path)).toBe(url);
  });

  test("names a range, or the whole file", () => {
    expect(at("a.ts", 3, 9)).toBe(`${ROOT}/a.ts#L3-L9`);
    expect(permalink(REPO, HEAD, "README.md", null)).toBe(`${ROOT}/README.md`);
  });

  test("there is none for a path that a browser would rewrite, a very long one, or a host without pages", () => {
    for (const path of ["a/../b", "./a", "/a", "a//b", ".."]) expect(at(path)).toBeNull();
    expect(at("漢".repeat(200))).toBeNull();
    for (const host of ["local", "eval", "a b"]) expect(permalink({ ...REPO, host }, HEAD, "a", null)).toBeNull();
    expect(linkedCommit({ ...REPO, host: "local" }, HEAD)).toBe(`\`${HEAD.slice(0, 7)}\``);
  });

  test("a GitHub Enterprise host keeps its port", () => {
    expect(linkedCommit({ ...REPO, host: "git.acme.example:8443" }, HEAD)).toBe(
      `[\`${HEAD.slice(0, 7)}\`](https://git.acme.example:8443/acme/shop/commit/${HEAD})`,
    );
  });

  test("without an address only the text is shown", () => {
    expect(linkedCode("a.ts:3", null)).toBe("`a.ts:3`");
    expect(linkedCode("a`.ts", "https://x.y/z")).toBe("[``a`.ts``](https://x.y/z)");
  });

  test("an address that could leave its brackets is not linked", () => {
    const here = { host: "github.com" };
    expect(safeUrl(here, "https://github.com/acme/shop/pull/7#issuecomment-1")).not.toBeNull();
    for (const url of ["javascript:alert(1)", "https://github.com/)[z](http://e", "https://github.com/ a", ""]) {
      expect(safeUrl(here, url)).toBeNull();
    }
  });

  test("only the repository's own GitHub is linked [T10]", () => {
    const server = { host: "git.example.com:8443" };
    expect(safeUrl(server, "https://git.example.com:8443/a/b/pull/7")).not.toBeNull();
    expect(safeUrl({ host: "GitHub.com" }, "https://github.COM/a/b/pull/7")).not.toBeNull();
    for (const url of [
      "https://github.com/a/b/pull/7",
      "https://git.example.com/a/b/pull/7",
      "http://git.example.com:8443/a/b/pull/7",
      "https://git.example.com:8443.evil.example/a",
      "https://evil.example/git.example.com:8443/a",
      "https://git.example.com:8443@evil.example/a",
    ]) {
      expect(safeUrl(server, url)).toBeNull();
    }
    expect(safeUrl({ host: "local" }, "https://github.com/a/b/pull/7")).toBeNull();
  });
});
