// Texts that a stranger may write, of any size: each repeats one thing, or never repeats it.

/** A text of about so many characters. */
export type TextOf = (size: number) => string;

const same =
  (unit: string, before = "", after = ""): TextOf =>
  (size) =>
    before + unit.repeat(Math.max(1, Math.floor(size / unit.length))) + after;

const each =
  (unit: (at: number) => string): TextOf =>
  (size) => {
    const parts: string[] = [];
    for (let at = 0, length = 0; length < size; at++) {
      const part = unit(at);
      parts.push(part);
      length += part.length;
    }
    return parts.join("");
  };

function nestedBase64(size: number): string {
  let text = "password=hunter2hunter2 ";
  while (text.length * 1.34 < size) text = Buffer.from(text.padEnd(64, "x")).toString("base64");
  return text.padEnd(size, "A");
}

export const TEXTS: Readonly<Record<string, TextOf>> = {
  "equal registrations": same('app.get("/a", x);\n'),
  "registrations of many receivers": each((at) => `r${at}.get("/a", x);\n`),
  "many routes": each((at) => `app.get("/route/${at}", handler${at});\n`),
  "many handlers": each((at) => `ipcMain.handle("channel-${at}", () => ${at});\n`),
  "keys of the environment": each((at) => `const v${at} = process.env.KEY_${at};\n`),
  "line ends": same("\n"),
  "CRLF line ends": same("\r\n"),
  "CR line ends": same("\r"),
  "blank lines": same("  \n"),
  spaces: same(" "),
  tabs: same("\t"),
  "one long line of words": each((at) => `name${at} `),
  "one long line of one word": same("name "),
  "one long line of calls": each((at) => `call${at}(x); `),
  "dotted names": same("a.b "),
  "a chain of dots": same("a."),
  "many paths": each((at) => `src/folder${at}/file${at}.ts `),
  slashes: same("a/"),
  "one-token lines": each((at) => `t${at}\n`),
  "equal lines": same("const total = price * count;\n"),
  "equal lines of a call": same("log.debug(cart.total(), user.name, order.id);\n"),
  imports: each((at) => `import { a${at}, b${at} as c${at} } from "./m${at}.ts";\n`),
  "equal imports": same('import { a } from "./m.ts";\n'),
  "imports of Python": each((at) => `from pkg.m${at} import a${at} as b${at}\n`),
  "includes of C": each((at) => `#include "m${at}.h"\n`),
  exports: each((at) => `export const e${at} = ${at};\n`),
  headings: each((at) => `# Heading ${at}\n`),
  "nested headings": each((at) => `${"#".repeat(1 + (at % 6))} Heading ${at}\n\ntext\n\n`),
  "table rows": each((at) => `| a${at} | b${at} | c |\n`),
  "table cells": same("| a "),
  decorators: each((at) => `@Decorate({ name: "d${at}" })\n`),
  annotations: same("@Override "),
  "open brackets": same("["),
  "open parentheses": same("("),
  "open braces": same("{"),
  "closed brackets": same("[]"),
  "nested objects": (size) =>
    `${'{"a":'.repeat(Math.min(size / 12, 900))}1${"}".repeat(Math.min(size / 12, 900))}\n`.repeat(
      Math.max(1, Math.floor(size / 6_500)),
    ),
  "angle brackets": same("<"),
  generics: same("A<B>"),
  "long identifiers": each((at) => `${"identifier".repeat(40)}${at}\n`),
  "one long identifier": same("a"),
  "one long identifier of capitals": same("aB"),
  "snake case": same("a_"),
  "kebab case": same("a-"),
  digits: same("7"),
  "hexadecimal digits": same("a1b2c3d4"),
  "base64 on one line": same("QUJDREVGR0hJSktMTU5PUFFS"),
  "base64 lines": same("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU2Nzg5QUJDREVGR0hJSktM\n"),
  "base64 words": each((at) => `${Buffer.from(`some text number ${at} that is long`).toString("base64")} `),
  "nested base64": nestedBase64,
  "URLs with passwords": same("postgres://u:X@h "),
  "URLs with passwords, joined": same("postgres://u:X@h"),
  schemes: same("a://"),
  "user parts": same("http://u:"),
  "at signs": same("@"),
  colons: same(":"),
  URLs: each((at) => `https://example.com/path/${at}?q=${at}#f `),
  "addresses of mail": each((at) => `a${at}@b.example `),
  mentions: each((at) => `@user${at} `),
  "mentions of us": same("@kodiai review "),
  "numbers of issues": each((at) => `#${at} `),
  "closing words": each((at) => `fixes #${at}, `),
  reverts: each((at) => `Reverts #${at}\n`),
  "breaking changes": each((at) => `BREAKING CHANGE: number ${at}\n`),
  trailers: each((at) => `Co-authored-by: A${at} <a${at}@b.c>\n`),
  bumps: each((at) => `Bumps [p${at}](https://github.com/a/p${at}) from 1.${at}.0 to 1.${at + 1}.0.\n`),
  "title tags": each((at) => `[tag${at}]`),
  "colon prefixes": same("feat: "),
  "quoted strings": each((at) => `"string ${at}", `),
  "open quotes": same('"'),
  "single quotes": same("'"),
  "quotes on lines": same("'\"\n"),
  backticks: same("`"),
  "backticks apart": same("` "),
  "runs of backticks": (size) => {
    const runs: string[] = [];
    for (let at = 1, length = 0; length < size; at = (at % 300) + 1) {
      runs.push("`".repeat(at));
      length += at + 1;
    }
    return runs.join(" ");
  },
  "code fences": same("```\ncode\n```\n"),
  "open fences": same("```a\n"),
  "tilde fences": same("~~~~\n"),
  backslashes: same("\\"),
  "escaped quotes": same('\\"'),
  "comments of HTML": same("<!-- a -->"),
  "open comments of HTML": same("<!--"),
  "tags of HTML": each((at) => `<b id="${at}">`),
  "open tags": same("<a "),
  entities: same("&amp;"),
  "open entities": same("&#"),
  links: each((at) => `[a${at}](https://b.example/${at}) `),
  "open links": same("[a]("),
  "closing of links": same("]("),
  images: same("![a](b)"),
  "open images": same("!["),
  emphasis: same("*a "),
  "double emphasis": same("**a"),
  underscores: same("_"),
  quotations: same("> a\n"),
  "nested quotations": (size) =>
    `${">".repeat(Math.min(size / 8, 400))} a\n`.repeat(Math.max(1, Math.floor(size / 403))),
  "list items": each((at) => `- item ${at}\n`),
  "deep lists": each((at) => `${" ".repeat((at % 40) * 2)}- item ${at}\n`),
  "deep indentation": each((at) => `${" ".repeat(at % 500)}a${at}\n`),
  "comments of lines": each((at) => `// comment ${at}\n`),
  "hash lines": same("#\n"),
  "hash comments": each((at) => `# comment ${at}\n`),
  "open comments": same("/* "),
  "comment blocks": same("/* a */\n"),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of others
  "template strings": same("`${a}`"),
  "open templates": same("`${"),
  "template holes": same("${"),
  "regular expressions": each((at) => `const r${at} = /a+b*${at}/;\n`),
  operators: same("+-*/%&|^!="),
  commas: same(","),
  semicolons: same(";"),
  "equal signs": same("="),
  hashes: same("#"),
  percents: same("%41"),
  dollars: same("$"),
  "functions of one name": same("function f(a, b) {\n  return a + b;\n}\n"),
  "functions of many names": each((at) => `export function f${at}(a, b) {\n  return a + b;\n}\n`),
  "functions of Python": each((at) => `def f${at}(a, b=1):\n    return a + b\n\n`),
  "functions of Go": each((at) => `func f${at}(a int) int {\n\treturn a\n}\n`),
  "nested functions": (size) => {
    const depth = Math.min(200, Math.max(1, Math.floor(size / 80)));
    const one = `${"function f() {\n".repeat(depth)}x();\n${"}\n".repeat(depth)}`;
    return one.repeat(Math.max(1, Math.floor(size / one.length)));
  },
  "one large function": (size) => `function f() {\n${"  x();\n".repeat(Math.max(1, Math.floor(size / 7)))}}\n`,
  classes: each((at) => `class C${at} {\n  m${at}() { return this.n; }\n}\n`),
  "one large class": (size) => {
    const methods = Math.max(1, Math.floor(size / 40));
    return `class C {\n${Array.from({ length: methods }, (_, at) => `  m${at}(a) {\n    return a;\n  }\n`).join("")}}\n`;
  },
  "nested calls": (size) =>
    `${"f(".repeat(Math.min(150, size / 4))}1${")".repeat(Math.min(150, size / 4))};\n`.repeat(
      Math.max(1, Math.floor(size / 455)),
    ),
  "long sums": same("a + "),
  "strings in sums": same('"SELECT " + x + '),
  statements: each((at) => `db.query("SELECT * FROM t${at} WHERE a = '" + x${at} + "'");\n`),
  "equal statements": same('db.query("SELECT * FROM t WHERE a = \'" + x + "\'");\n'),
  "calls of eval": same("eval(x);\n"),
  leftovers: each((at) => `console.log("debug ${at}"); debugger;\n`),
  tests: each((at) => `test("a name ${at}", () => {\n  expect(f${at}(1)).toBe(${at});\n});\n`),
  "tests that only run": each((at) => `it.only("a ${at}", () => {});\n`),
  "to-dos": each((at) => `// TODO(a${at}): fix this\n`),
  "conflict marks": same("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n"),
  conditions: each((at) => `if (a${at} === ${at}) {\n  return b${at};\n}\n`),
  "else ifs": each((at) => `else if (a === ${at}) { b(); }\n`),
  assignments: each((at) => `a${at} = b${at};\n`),
  types: each((at) => `type T${at} = { a${at}: string };\n`),
  unions: same("| 'a' "),
  passwords: each((at) => `password${at} = "hunter${at}Two!x9"\n`),
  "words of secrets": same("password="),
  tokens: each((at) => `ghp_${String(at).padStart(36, "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z")}\n`),
  "token prefixes": same("ghp_"),
  "AWS keys": each((at) => `AKIA${String(at).padStart(16, "QWERTYUIOPASDFGH")}\n`),
  "headers of keys": same("-----BEGIN PRIVATE KEY-----\n"),
  "headers of keys, joined": same("-----BEGIN "),
  "whole keys": same(
    `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(8)}-----END PRIVATE KEY-----\n`,
  ),
  "web tokens": same("eyJhbGciOiJIUzI1NiJ9."),
  "data of Kubernetes": (size) => `kind: Secret\ndata:\n${"  k: QUJDREVGR0hJSktMTU5PUFFS\n".repeat(size / 30)}`,
  "keys of YAML": each((at) => `key${at}: value${at}\n`),
  "equal keys of YAML": same("key: value\n"),
  "items of YAML": each((at) => `- value${at}\n`),
  "anchors of YAML": each((at) => `k${at}: &a${at} v\n`),
  "aliases of YAML": same("- *a\n", "a: &a 1\nb:\n"),
  "deep keys of YAML": (size) =>
    Array.from({ length: Math.min(90, size / 100) }, (_, at) => `${" ".repeat(at)}k${at}:\n`).join("") +
    same("x: 1\n")(size),
  "flow of YAML": same("[a, "),
  "documents of YAML": same("---\na: 1\n"),
  "tags of YAML": same("a: !!b c\n"),
  "rules of a configuration": (size) => `rules:\n${each((at) => `  rule-${at}: off\n`)(size)}`,
  "path filters": (size) =>
    `review:\n  suppress:\n${each((at) => `    - pattern: p${at}\n`)(size)}pathFilters:\n${each((at) => `  - "src/${at}/**"\n`)(size)}`,
  "custom rules": (size) =>
    `customRules:\n${each((at) => `  - id: own-${at}\n    language: typescript\n    rule: { pattern: "f${at}($A)" }\n    message: m\n`)(size)}`,
  "jobs of a workflow": (size) =>
    `on: pull_request_target\njobs:\n${each((at) => `  j${at}:\n    runs-on: x\n    steps:\n      - run: echo \${{ github.event.issue.title }}\n`)(size)}`,
  "items of JSON": (size) => `[${each((at) => `{"a":${at}},`)(size)}0]`,
  "stages of Docker": each((at) => `FROM a${at} AS b${at}\nRUN curl http://x | sh\n`),
  "lines of a shell": each((at) => `curl "$URL${at}" | sh\n`),
  "characters of Han": same("漢字"),
  "combining characters": same("e\u0301"),
  "one combining run": (size) => `e${"\u0301".repeat(size)}`,
  emoji: same("👩‍👩‍👧‍👦"),
  "right to left": same("\u202eabc\u202c"),
  "characters of no width": same("a\u200b"),
  "tag characters": same("\u{e0041}"),
  "lone surrogates": same("\ud800"),
  "control characters": same("\u0001"),
  "zero characters": same("\0"),
  "escape sequences": same("\u001b[31m"),
  "lines of a diff": same("+a\n-b\n"),
  "hunk heads": each((at) => `@@ -${at + 1},1 +${at + 1},1 @@ f${at}\n`),
  "file heads": each((at) => `diff --git a/f${at} b/f${at}\n`),
  "anchors of lines": each((at) => `${at}#a1b2: text\n`),
  "markers of ours": each((at) => `<!-- kodiai:finding:fnd_${String(at).padStart(12, "0")} -->\n`),
  "orders to ignore": same("# kodiai-ignore a-rule b\n"),
  words: each((at) => `word${at % 997} other${at % 89} third `),
  sentences: each((at) => `The cart number ${at} is empty, so that nobody pays. `),
  contrasts: same("not done yet, but won't fix. "),
  thanks: same("thanks! "),
};
