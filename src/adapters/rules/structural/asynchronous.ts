// Promises and coroutines that nobody waits for, and calls that make everyone wait.
import type { StructuralRule } from "../rule.ts";
import { calls, example, kinds, not, text } from "./shapes.ts";

const ASYNC_CALLBACK = { has: { field: "arguments", has: { nthChild: 1, regex: String.raw`(?s)^async\b` } } };

export const ASYNCHRONOUS: readonly StructuralRule[] = [
  {
    id: "async-foreach",
    title: "`forEach` does not wait for its async callback",
    severity: "medium",
    category: "correctness",
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
    category: "correctness",
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
    category: "correctness",
    confidence: 0.9,
    why: "Without `await` the call only builds a coroutine object; its work never runs.",
    fix: "Put `await` before it.",
    inTests: true,
    onlyWith: /asyncio\./,
    wholeFile: true,
    match: {
      python: {
        kind: "expression_statement",
        has: {
          kind: "call",
          has: {
            field: "function",
            regex: String.raw`^asyncio\.(sleep|wait|wait_for|gather|to_thread|open_connection|start_server)$`,
          },
        },
      },
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
];
