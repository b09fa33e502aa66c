// Values that are made and dropped, where only keeping them makes sense.
import type { SgNode } from "@ast-grep/napi";
import type { StructuralRule } from "../rule.ts";
import { example, not, script, text } from "./shapes.ts";

const ERROR_NAME = String.raw`^\\?([A-Z]\w*)?(Error|Exception)$`;

const NEW_VALUE = /trim|strip|to(Upper|Lower)Case|replace|pad|upper|lower|title|remove|substring|sorted|reversed/;

function calleeOf(call: SgNode | null): string {
  return (call?.field("function") ?? call?.field("name"))?.text() ?? "";
}

/** A statement that is nothing but a call whose callee matches. */
function statement(kind: string, field: string, callee: string) {
  return { kind: "expression_statement", has: { kind, has: { field, regex: callee } } };
}

export const DROPPED_VALUES: readonly StructuralRule[] = [
  {
    id: "error-not-thrown",
    title: "Error is made but not thrown",
    severity: "major",
    category: "correctness",
    confidence: 0.9,
    why: "The statement builds the error and drops it, so the program goes on as if nothing were wrong.",
    fix: "Put `throw` (`raise`) before it.",
    inTests: true,
    onlyWith: /(Error|Exception)\(/,
    wholeFile: true,
    match: {
      ...script({
        kind: "expression_statement",
        has: { kind: "new_expression", has: { field: "constructor", regex: ERROR_NAME } },
      }),
      python: {
        kind: "expression_statement",
        has: { kind: "call", has: { field: "function", kind: "identifier", regex: ERROR_NAME } },
      },
      java: {
        kind: "expression_statement",
        has: { kind: "object_creation_expression", has: { field: "type", regex: ERROR_NAME } },
      },
      php: {
        kind: "expression_statement",
        has: { kind: "object_creation_expression", has: { nthChild: 1, regex: ERROR_NAME } },
      },
    },
    fixes: [
      { from: /^new /, to: "throw new " },
      { from: /^(\w+\()/, to: "raise $1", languages: ["python"] },
    ],
    bad: example("src/check.ts", 'if (age < 0) new RangeError("age is negative");'),
    good: example("src/check.ts", 'if (age < 0) throw new RangeError("age is negative");'),
  },
  {
    id: "discarded-result",
    title: "Result of a call that changes nothing is thrown away",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "Strings never change in place: the call returns the new value, and here nobody keeps it.",
    fix: "Assign the result: `name = name.trim()`.",
    inTests: true,
    onlyWith: NEW_VALUE,
    among: (nodes) => nodes.filter((node) => NEW_VALUE.test(calleeOf(node.child(0)))),
    wholeFile: true,
    match: {
      ...script(
        statement(
          "call_expression",
          "function",
          String.raw`\.(trim|trimStart|trimEnd|toUpperCase|toLowerCase|replaceAll|padStart|padEnd)$`,
        ),
        {
          all: [
            statement("call_expression", "function", String.raw`^[\w.]+\.replace$`),
            {
              has: {
                kind: "call_expression",
                has: { field: "arguments", regex: String.raw`(?s)^\(\s*(/.*/[a-z]*|["'][^"']*["'])\s*,` },
              },
            },
            not(text(String.raw`^(window\.)?(location|history|router|navigate)\.`)),
          ],
        },
      ),
      python: [
        statement(
          "call",
          "function",
          String.raw`^[a-z_][\w.]*\.(strip|lstrip|rstrip|upper|lower|title|removeprefix|removesuffix)$`,
        ),
        {
          all: [
            statement("call", "function", String.raw`^[a-z_][\w.]*\.replace$`),
            {
              has: {
                kind: "call",
                has: { field: "arguments", regex: String.raw`^\(\s*["'][^"']*["']\s*,\s*["'][^"']*["']\s*\)$` },
              },
            },
          ],
        },
        statement("call", "function", "^(sorted|reversed)$"),
      ],
      java: {
        all: [
          statement("method_invocation", "name", "^(trim|strip|toUpperCase|toLowerCase|replaceAll|substring)$"),
          not(text(String.raw`^(list|map|\w*List|\w*Map)\.replaceAll`)),
        ],
      },
    },
    fixes: [
      { from: /^([A-Za-z_]\w*)(\.[\s\S]*)$/, to: "$1 = $1$2" },
      { from: /^(sorted|reversed)\((\w+)\)$/, to: "$2 = $1($2)" },
    ],
    bad: example("src/names.ts", "name.trim();"),
    good: example("src/names.ts", "const clean = name.trim();"),
  },
];
