// Waiting, errors and cleaning up that a request, a call, a loop or a test forgets.
import { rulesOf, type StructuralRule } from "../rule.ts";
import { both, calls, has, kinds, node, not, script, text, withArguments } from "./shapes.ts";

export const FORGOTTEN = rulesOf<StructuralRule>("reliability", [
  {
    id: "unawaited-assertion",
    title: "Assertion about a promise is not awaited",
    severity: "medium",
    category: "tests",
    confidence: 0.9,
    why: "The test ends before the promise settles, so it passes whatever the promise does.",
    fix: "Put `await` before `expect(…)`, or return it.",
    inTests: true,
    onlyWith: /\.(resolves|rejects)\b/,
    wholeFile: true,
    match: script(
      node(
        "expression_statement",
        { has: { kind: "call_expression" } },
        text(String.raw`^expect\(.*\)\s*\.(resolves|rejects)\s*\.(not\s*\.)?\w+\(`),
      ),
    ),
    fixes: [{ from: /^/, to: "await " }],
  },
  {
    id: "missing-timeout",
    title: "Request has no timeout",
    severity: "medium",
    confidence: 0.75,
    why: "`requests` waits for ever by default; one silent server then holds the worker until it is restarted.",
    fix: "Give it one: `timeout=10`.",
    onlyWith: /requests\./,
    match: {
      python: both(
        calls.python`requests\.(get|post|put|patch|delete|head|request)`,
        not(withArguments(String.raw`(\btimeout\s*=|\*\*)`)),
      ),
    },
    fixes: [{ from: /,?\s{0,100}\)$/, to: ", timeout=10)" }],
  },
  {
    id: "discarded-error",
    title: "Error of a call that can fail is discarded",
    severity: "medium",
    confidence: 0.7,
    why: "When the call fails the program goes on with an empty value, and the cause is lost.",
    fix: "Check the error and return it.",
    onlyWith: /_\s*:?=/,
    match: {
      go: node(
        ["short_var_declaration", "assignment_statement"],
        has("left", String.raw`(^|,\s*)_$`),
        has(
          "right",
          String.raw`^(json\.(Unmarshal|NewDecoder\([^()]*\)\.Decode)|yaml\.Unmarshal|xml\.Unmarshal|proto\.Unmarshal|io\.ReadAll|ioutil\.ReadAll|os\.(Open|Create|ReadFile|WriteFile|OpenFile)|http\.NewRequest(WithContext)?|rand\.Read|net\.Dial|sql\.Open)\(`,
        ),
      ),
    },
  },
  {
    id: "defer-in-loop",
    title: "`defer` in a loop runs only when the function ends",
    severity: "medium",
    confidence: 0.8,
    why: "Files, rows and locks of every round stay open until then, and a long loop runs out of them.",
    fix: "Close at the end of the round, or move its body into a function.",
    onlyWith: /defer/,
    match: {
      go: node("defer_statement", text(String.raw`\.(Close|Unlock|RUnlock|Release|Rollback|Stop)\(\)$`), {
        inside: { kind: "for_statement", stopBy: kinds("func_literal", "function_declaration", "method_declaration") },
      }),
    },
  },
]);
