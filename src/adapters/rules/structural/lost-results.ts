// Errors, values and promises that vanish, and assertions that cannot fail.

import type { SgNode } from "@ast-grep/napi";
import { rulesOf, type StructuralRule } from "../rule.ts";
import { calls, example, has, kinds, node, not, script, text } from "./shapes.ts";

const ERROR_NAME = String.raw`^\\?([A-Z]\w*)?(Error|Exception)$`;

const NEW_VALUE = /trim|strip|to(Upper|Lower)Case|replace|pad|upper|lower|title|remove|substring|sorted|reversed/;

function calleeOf(call: SgNode | null): string {
  return (call?.field("function") ?? call?.field("name"))?.text() ?? "";
}

/** A statement that is nothing but one expression, of which a field matches. */
function statement(kind: string, field: string, regex: string) {
  return { kind: "expression_statement", has: { kind, ...has(field, regex) } };
}

const ASYNC_CALLBACK = { has: { field: "arguments", has: { nthChild: 1, regex: String.raw`(?s)^async\b` } } };

export const LOST_RESULTS = rulesOf<StructuralRule>("correctness", [
  {
    id: "swallowed-error",
    title: "Error is caught and ignored",
    severity: "medium",
    category: "reliability",
    confidence: 0.7,
    why: "When this fails nobody learns of it: no log, no caller that could react, only a wrong state later on.",
    fix: "Log it, return or rethrow it, or catch the one error that is expected; if silence is right, say why in a comment.",
    onlyWith: /catch|except|rescue|err\s*!=/,
    match: {
      ...script({ kind: "catch_clause", has: { field: "body", regex: String.raw`^\{\s*\}$` } }),
      python: node(
        "except_clause",
        text(String.raw`^except(\s*:|\s+(BaseException|Exception)(\s+as\s+\w+)?\s*:)\s*(pass|\.\.\.)\s*$`),
      ),
      java: node(
        "catch_clause",
        {
          has: {
            kind: "catch_formal_parameter",
            regex: String.raw`\b(Exception|Throwable|RuntimeException|Error)\s+\w+$`,
          },
        },
        // A variable named for its fate is a word.
        not({ has: { kind: "catch_formal_parameter", regex: String.raw`\b(ignored?|expected|_)$` } }),
        has("body", String.raw`^\{\s*\}$`),
      ),
      go: node(
        "if_statement",
        has("condition", String.raw`^err\s*!=\s*nil$`),
        has("consequence", String.raw`^\{\s*\}$`),
        not(has("alternative", ".")),
      ),
      php: node(
        "catch_clause",
        has("type", String.raw`^\\?(Exception|Throwable|Error)$`),
        has("body", String.raw`^\{\s*\}$`),
      ),
      ruby: node(
        "rescue",
        text(String.raw`^rescue(\s+(StandardError|Exception))?(\s*=>\s*\w+)?;?\s*$`),
        not({ precedes: { kind: "comment" } }),
      ),
    },
    bad: example("src/save.ts", "try {", "  await save(order);", "} catch (error) {}"),
    good: example(
      "src/save.ts",
      "try {",
      "  await save(order);",
      "} catch {",
      "  // The order is saved again by the nightly job.",
      "}",
    ),
  },
  {
    id: "broad-catch",
    title: "Handler also catches interrupts and exits",
    severity: "medium",
    category: "reliability",
    confidence: 0.7,
    why: "It also stops Ctrl-C, `sys.exit` and shutdown signals, so the program cannot be stopped while it is here.",
    fix: "Catch `Exception` (Python) or `StandardError` (Ruby), or raise again at the end of the handler.",
    onlyWith: /except|rescue/,
    match: {
      python: node(
        "except_clause",
        // Who writes BaseException means it.
        text(String.raw`^except\s*:`),
        // An empty handler is the business of swallowed-error.
        not(text(String.raw`^except[^:]*:\s*(#[^\n]*\s*)*(pass|\.\.\.)\s*(#[^\n]*\s*)*$`)),
        not(text(String.raw`\b(raise|sys\.exit|_exit\(|set_exception|exc_info|print_exc|format_exc|exception\()`)),
      ),
      ruby: node(
        "rescue",
        text(String.raw`^rescue\s+Exception\b(\s*=>\s*\w+)?`),
        text(String.raw`\n.*\w`),
        not(text(String.raw`\b(raise|exit|abort)\b`)),
      ),
    },
    bad: example("app/worker.py", "try:", "    run(task)", "except:", "    retry(task)"),
    good: example("app/worker.py", "try:", "    run(task)", "except Exception:", "    retry(task)"),
  },
  {
    id: "error-not-thrown",
    title: "Error is made but not thrown",
    severity: "major",
    confidence: 0.9,
    why: "The statement builds the error and drops it, so the program goes on as if nothing were wrong.",
    fix: "Put `throw` (`raise`) before it.",
    inTests: true,
    onlyWith: /(Error|Exception)\(/,
    wholeFile: true,
    match: {
      ...script(statement("new_expression", "constructor", ERROR_NAME)),
      python: {
        kind: "expression_statement",
        has: { kind: "call", has: { field: "function", kind: "identifier", regex: ERROR_NAME } },
      },
      java: statement("object_creation_expression", "type", ERROR_NAME),
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
        node(
          "expression_statement",
          statement("call_expression", "function", String.raw`^[\w.]+\.replace$`),
          statement("call_expression", "arguments", String.raw`(?s)^\(\s*(/.*/[a-z]*|["'][^"']*["'])\s*,`),
          not(text(String.raw`^(window\.)?(location|history|router|navigate)\.`)),
        ),
      ),
      python: [
        statement(
          "call",
          "function",
          String.raw`^[a-z_][\w.]*\.(strip|lstrip|rstrip|upper|lower|title|removeprefix|removesuffix)$`,
        ),
        node(
          "expression_statement",
          statement("call", "function", String.raw`^[a-z_][\w.]*\.replace$`),
          statement("call", "arguments", String.raw`^\(\s*["'][^"']*["']\s*,\s*["'][^"']*["']\s*\)$`),
        ),
        statement("call", "function", "^(sorted|reversed)$"),
      ],
      java: node(
        "expression_statement",
        statement("method_invocation", "name", "^(trim|strip|toUpperCase|toLowerCase|replaceAll|substring)$"),
        not(text(String.raw`^(list|map|\w*List|\w*Map)\.replaceAll`)),
      ),
    },
    fixes: [
      { from: /^([A-Za-z_]\w*)(\.[\s\S]*)$/, to: "$1 = $1$2" },
      { from: /^(sorted|reversed)\((\w+)\)$/, to: "$2 = $1($2)" },
    ],
    bad: example("src/names.ts", "name.trim();"),
    good: example("src/names.ts", "const clean = name.trim();"),
  },
  {
    id: "async-foreach",
    title: "`forEach` does not wait for its async callback",
    severity: "medium",
    confidence: 0.85,
    why: "The calls all start at once, the code after the loop runs before they end, and a rejection is caught by no one.",
    fix: "Use `for (const item of items) await …`, or `await Promise.all(items.map(async …))`.",
    inTests: true,
    onlyWith: /forEach\(\s*async/,
    match: calls.inScript(String.raw`(?s).*\.forEach`, ASYNC_CALLBACK),
    bad: example("src/mail.ts", "users.forEach(async (user) => {", "  await send(user);", "});"),
    good: example("src/mail.ts", "await Promise.all(users.map(async (user) => send(user)));"),
  },
  {
    id: "async-predicate",
    title: "Async callback is taken for true or false",
    severity: "major",
    confidence: 0.85,
    why: "An async function returns a promise, and a promise is always truthy: the condition never fails.",
    fix: "Await the answers first (`await Promise.all(items.map(check))`), then filter by them.",
    inTests: true,
    onlyWith: /\(\s*async/,
    match: calls.inScript(
      String.raw`(?s).*\.(filter|some|every|find|findIndex|findLast|sort|toSorted)`,
      ASYNC_CALLBACK,
      // Streams and promise libraries have a filter of their own that waits.
      not({ inside: { kind: "await_expression" } }),
      not({ inside: { kind: "for_in_statement" } }),
    ),
    bad: example("src/access.ts", "const allowed = users.filter(async (user) => await mayRead(user));"),
    good: example("src/access.ts", "const allowed = users.filter((user) => readers.has(user.id));"),
  },
  {
    id: "unawaited-coroutine",
    title: "Coroutine is never awaited",
    severity: "major",
    confidence: 0.9,
    why: "Without `await` the call only builds a coroutine object; its work never runs.",
    fix: "Put `await` before it.",
    inTests: true,
    onlyWith: /asyncio\./,
    wholeFile: true,
    match: {
      python: statement(
        "call",
        "function",
        String.raw`^asyncio\.(sleep|wait|wait_for|gather|to_thread|open_connection|start_server)$`,
      ),
    },
    fixes: [{ from: /^/, to: "await " }],
    bad: example("app/poll.py", "async def poll():", "    asyncio.sleep(5)"),
    good: example("app/poll.py", "async def poll():", "    await asyncio.sleep(5)"),
  },
  {
    id: "blocking-call-in-async",
    title: "Blocking call inside an async function",
    severity: "medium",
    category: "performance",
    confidence: 0.85,
    why: "While it waits the whole event loop stands still: no other request, timer or task goes on.",
    fix: "Use the async form (`await asyncio.sleep`, an async HTTP client, `tokio::time::sleep`), or move it to a thread.",
    onlyWith: /sleep|requests|urlopen|subprocess/,
    onlyIn: /\basync\b/,
    match: {
      python: calls.python(
        String.raw`time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen|subprocess\.(run|call|check_call|check_output)`,
        {
          inside: {
            all: [{ kind: "function_definition" }, text(String.raw`^async\b`)],
            stopBy: kinds("function_definition", "lambda", "class_definition"),
          },
        },
      ),
      rust: calls.rust("(std::)?thread::sleep", {
        inside: {
          all: [{ kind: "function_item" }, { has: { kind: "function_modifiers", regex: String.raw`\basync\b` } }],
          stopBy: kinds("function_item", "closure_expression"),
        },
      }),
    },
    bad: example("app/poll.py", "async def poll():", "    time.sleep(5)"),
    good: example("app/poll.py", "def poll():", "    time.sleep(5)"),
  },
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
    bad: example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).resolves.toBe(1);", "});"),
    good: example(
      "test/load.test.ts",
      'test("loads", async () => {',
      "  await expect(load()).resolves.toBe(1);",
      "});",
    ),
  },
  {
    id: "assert-tuple",
    title: "Assertion about a tuple is always true",
    severity: "major",
    confidence: 0.95,
    why: "The parentheses turn condition and message into a tuple of two, and a tuple that holds something is true.",
    fix: "Take the parentheses away: `assert condition, message`.",
    inTests: true,
    onlyWith: /assert\s*\(/,
    match: {
      python: {
        kind: "assert_statement",
        has: { nthChild: 1, kind: "tuple", has: { kind: "string", nthChild: { position: 1, reverse: true } } },
      },
    },
    fixes: [
      { from: /^assert\s*\(([\s\S]*)\)$/, to: "assert $1" },
      { from: /^\(([\s\S]*)\)$/, to: "$1" },
    ],
    bad: example("app/check.py", 'assert (age > 0, "age is negative")'),
    good: example("app/check.py", 'assert age > 0, "age is negative"'),
  },
]);
