import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CUT, codeSpan, sanitizeBlock, sanitizeInline } from "../../src/publish/sanitize.ts";
import { COMMANDS, violations } from "./github-markdown.ts";
import { hostile } from "./hostile-text.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY)
  console.warn("skipped: 99 of 100 thousand random texts for each law of the sanitizer; NIGHTLY=1 tries all");
const RUNS = { numRuns: NIGHTLY ? 100_000 : 500 };
/** Milliseconds; ten times what the slowest of these took on two busy cores. */
const WATCHDOG = 3_000_000;

describe("sanitizeInline", () => {
  test.each([
    ["Fix crash when C++ headers are missing", "Fix crash when C++ headers are missing"],
    ["Don't use `eval` here", "Don't use `eval` here"],
    ["Fix #12 for @octocat (see https://evil.example/x)", "Fix `#12` for `@octocat` (see `https://evil.example/x`)"],
    ["fixes acme/app#3, GH-4 and 4f1c2d9e8b", "fixes `acme/app#3`, `GH-4` and `4f1c2d9e8b`"],
    ["mail a@b.co or www.evil.example", "mail `a@b.co` or `www.evil.example`"],
    ["<img src=x> & <b>", "&lt;img src=x&gt; &amp; &lt;b&gt;"],
    ["![i](https://evil.example/i.png)", "i (`https://evil.example/i.png`)"],
    ["call handlers[0](event)", "call handlers&#91;0&#93;(event)"],
    ["/approve now", "`/approve` now"],
    ["bors r+", "`bors` r+"],
    ["read a_b, not __init__ or a*b", "read a_b, not &#95;&#95;init&#95;&#95; or a&#42;b"],
    ["1. one", "1&#46; one"],
    ["two\nlines\tof text", "two lines of text"],
    ["abc\u202edef", "abc&lt;U+202E&gt;def"],
    ["zero\u200bwidth", "zerowidth"],
    [":octocat: costs $5", "`:octocat`: costs `$5`"],
    ["", ""],
  ])("shows %j as %j", (text, shown) => {
    expect(sanitizeInline(text)).toBe(shown);
  });

  test("an entity of ours that someone wrote does not smuggle a reference past us", () => {
    expect(sanitizeInline("&#35;1")).toBe("`#1`");
    expect(violations(sanitizeInline("&#35;1 &#64;octocat &amp;#35;1"))).toEqual([]);
  });

  test("a marker of ours in someone's code is broken", () => {
    expect(sanitizeInline("`<!-- kodiai:summary -->`")).toBe("`<! -- kodiai:summary -->`");
    expect(codeSpan("src/<!-- kodiai:summary -->.ts")).toBe("`src/<! -- kodiai:summary -->.ts`");
    expect(sanitizeBlock("```\n<!-- kodiai:summary -->\n```")).toBe("```\n<! -- kodiai:summary -->\n```");
  });

  test("a long text is cut between code points, and says so", () => {
    const cut = sanitizeInline("👍".repeat(400), 20);
    expect(cut).toBe(`${"👍".repeat(20 - CUT.length)}${CUT}`);
    expect(sanitizeInline("\u200b".repeat(100_000))).toBe(CUT);
    expect(sanitizeInline(`x${"👍".repeat(100_000)}`)).not.toContain("U+D83D");
  });

  test(
    "any text comes out inert, on one line, well-formed, bounded and unchanged by a second pass [T11]",
    () => {
      fc.assert(
        fc.property(hostile, fc.integer({ min: 10, max: 120 }), (text, limit) => {
          const once = sanitizeInline(text, limit);
          expect(violations(once)).toEqual([]);
          expect(once).not.toContain("\n");
          expect(once.isWellFormed()).toBe(true);
          expect(once).not.toContain("<!-- kodiai:");
          expect(once.length).toBeLessThanOrEqual(8 * limit + 20);
          expect(sanitizeInline(once, limit)).toBe(once);
        }),
        RUNS,
      );
    },
    WATCHDOG,
  );
});

describe("sanitizeBlock", () => {
  test("paragraphs, lists, emphasis and code stay", () => {
    const body =
      "Pass the name as a parameter:\n\n- **never** join\n- use `execute(sql, (name,))`\n\n1. one\n2. two\n\n```python\ndb.execute(sql, (name,))\n```\n\nThen it is *safe*.";
    expect(sanitizeBlock(body)).toBe(body);
  });

  test("headings, quotes, tables, HTML and references become text", () => {
    const text =
      "# Title\n> quote\n| a | b |\n|---|---|\n<details>\n[x]: https://evil.example\n***\n===\n[docs](https://evil.example/c)";
    expect(sanitizeBlock(text)).toBe(
      "&#35; Title\n&gt; quote\n&#124; a &#124; b &#124;\n&#124;---&#124;---&#124;\n&lt;details&gt;\n&#91;x&#93;: `https://evil.example`\n&#42;**\n&#61;==\ndocs (`https://evil.example/c`)",
    );
  });

  test("no one but us offers a suggestion, and no diagram is drawn", () => {
    expect(sanitizeBlock("```suggestion\nx = 1\n```")).toBe("```\nx = 1\n```");
    expect(sanitizeBlock("~~~mermaid\ngraph TD\n~~~")).toBe("```\ngraph TD\n```");
  });

  test("a fence is longer than any run of backticks inside, and an open one is closed", () => {
    expect(sanitizeBlock("~~~\n````\n~~~")).toBe("`````\n````\n`````");
    expect(sanitizeBlock("```js\nlet x")).toBe("```js\nlet x\n```");
  });

  test.each(COMMANDS)("no line starts with the command %j, neither in prose nor in code [T11]", (command) => {
    for (const text of [command, `see\n${command}`, `\`\`\`\n${command}\n\`\`\``, `- ${command}`]) {
      expect(violations(sanitizeBlock(text))).toEqual([]);
    }
    expect(sanitizeBlock(command)).not.toBe("");
  });

  test.each([
    ["run atlantis apply now", "run `atlantis apply` now"],
    ["then squash and merge it", "then `squash and merge` it"],
    ["to ship it say /deploy, please", "to ship it say `/deploy`, please"],
    ["(/approve)", "(`/approve`)"],
    ["either/or, and src/publish/tame.ts, and /etc/passwd", "either/or, and src/publish/tame.ts, and /etc/passwd"],
  ])("a command in the middle of a line is code: %j [T11]", (text, shown) => {
    expect(sanitizeBlock(text)).toBe(shown);
    expect(sanitizeInline(text)).toBe(shown);
  });

  test("a long body is cut, says so, and closes what it opened", () => {
    const cut = sanitizeBlock(`\`\`\`\n${"let x = 1\n".repeat(100)}\`\`\``, 200);
    expect(cut.endsWith(`\`\`\`\n\n${CUT}`)).toBe(true);
    expect(violations(cut)).toEqual([]);
  });

  test("a body repeated two million characters long is bounded", () => {
    expect(sanitizeBlock("I cannot stop. ".repeat(140_000)).length).toBeLessThan(20_000);
    expect(sanitizeBlock("[](a://".repeat(150_000)).length).toBeLessThan(20_000);
    expect(sanitizeBlock("`".repeat(500_000) + " `a".repeat(200_000)).length).toBeLessThan(40_000);
    expect(sanitizeBlock(`\`\`\`${"a ".repeat(500_000)}\``).length).toBeLessThan(20_000);
  });

  test(
    "any text comes out inert, with closed fences, well-formed, bounded and unchanged by a second pass [T10]",
    () => {
      fc.assert(
        fc.property(hostile, fc.integer({ min: 20, max: 300 }), (text, limit) => {
          const once = sanitizeBlock(text, limit);
          expect(violations(once)).toEqual([]);
          expect(once.isWellFormed()).toBe(true);
          expect(once).not.toContain("<!-- kodiai:");
          expect(once.length).toBeLessThanOrEqual(12 * limit + 40);
          expect(sanitizeBlock(once, limit)).toBe(once);
        }),
        RUNS,
      );
    },
    WATCHDOG,
  );
});

test(
  "a code span shows any name or path and nothing else",
  () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(violations(`- ${codeSpan(text)} there`)).toEqual([]);
      }),
      RUNS,
    );
    expect(codeSpan("a`b")).toBe("``a`b``");
    expect(codeSpan("")).toBe("`(empty)`");
  },
  WATCHDOG,
);
