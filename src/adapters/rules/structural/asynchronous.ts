// Promises and coroutines that nobody waits for, and calls that make everyone wait.
import type { StructuralRule } from "../rule.ts";
import { call, example, has, kinds, node, not, script, text } from "./shapes.ts";

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
    match: script(call("script", String.raw`(?s).*\.forEach`, ASYNC_CALLBACK)),
    bad: [
      example("src/mail.ts", "users.forEach(async (user) => {", "  await send(user);", "});"),
      example("src/mail.js", "users.forEach(async function (user) { await send(user); });"),
    ],
    good: [
      example("src/mail.ts", "await Promise.all(users.map(async (user) => send(user)));"),
      example("src/mail.ts", "users.forEach((user) => names.push(user.name));"),
    ],
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
    match: script(
      call(
        "script",
        String.raw`(?s).*\.(filter|some|every|find|findIndex|findLast|sort|toSorted)`,
        ASYNC_CALLBACK,
        // Streams and promise libraries have a filter of their own that waits.
        not({ inside: { kind: "await_expression" } }),
        not({ inside: { kind: "for_in_statement" } }),
      ),
    ),
    bad: [
      example("src/access.ts", "const allowed = users.filter(async (user) => await mayRead(user));"),
      example("src/access.js", "if (users.some(async (user) => isAdmin(user))) open();"),
    ],
    good: [
      example("src/access.ts", "const allowed = users.filter((user) => readers.has(user.id));"),
      example("src/access.ts", "const allowed = await stream.filter(async (user) => mayRead(user));"),
    ],
  },
  {
    id: "async-promise-executor",
    title: "Promise executor is async",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "An error thrown in it rejects the executor's own promise, which nobody holds: the outer promise never settles.",
    fix: "Make the surrounding function async and await there, or catch everything and call `reject`.",
    onlyWith: /\(\s*async/,
    match: script(
      node(
        "new_expression",
        has("constructor", "^Promise$"),
        { has: { field: "arguments", has: { nthChild: 1, regex: String.raw`(?s)^async\b` } } },
        not(text(String.raw`\{\s*try\s*\{`)),
      ),
    ),
    bad: [
      example("src/load.ts", "return new Promise(async (resolve) => {", "  resolve(await read(path));", "});"),
      example("src/load.js", "new Promise(async function (resolve, reject) { resolve(await read()); });"),
    ],
    good: [
      example("src/load.ts", "return new Promise((resolve, reject) => read(path, resolve, reject));"),
      example(
        "src/load.ts",
        "return new Promise(async (resolve, reject) => {",
        "  try {",
        "    resolve(await read(path));",
        "  } catch (error) {",
        "    reject(error);",
        "  }",
        "});",
      ),
    ],
  },
  {
    id: "async-effect",
    title: "Effect callback is async",
    severity: "medium",
    category: "correctness",
    confidence: 0.9,
    why: "React takes the returned promise for the clean-up function, so nothing is cleaned up and React warns.",
    fix: "Define an async function inside the effect, call it, and return the clean-up.",
    onlyWith: /Effect\(\s*async/,
    match: script(call("script", String.raw`(React\.)?(useEffect|useLayoutEffect|useInsertionEffect)`, ASYNC_CALLBACK)),
    bad: [
      example("src/profile.tsx", "useEffect(async () => {", "  setUser(await load(id));", "}, [id]);"),
      example("src/profile.jsx", "React.useLayoutEffect(async () => { await measure(); }, []);"),
    ],
    good: [
      example("src/profile.tsx", "useEffect(() => {", "  void refresh(id);", "}, [id]);"),
      example("src/profile.tsx", "const load = useCallback(async () => refresh(id), [id]);"),
    ],
  },
  {
    id: "conditional-hook",
    title: "Hook is called only under a condition",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "React tells hooks apart by their order; when one is left out, the ones after it get each other's state.",
    fix: "Call the hook always, at the top of the component, and put the condition inside it.",
    onlyWith: /\buse[A-Z]/,
    match: script(
      call("script", String.raw`(React\.)?use(State|Effect|Memo|Callback|Ref|Reducer|LayoutEffect|Id)`, {
        inside: {
          any: [
            {
              kind: "statement_block",
              inside: kinds("if_statement", "for_statement", "while_statement", "for_in_statement"),
            },
            { kind: "else_clause" },
          ],
          stopBy: kinds("arrow_function", "function_declaration", "function_expression", "method_definition"),
        },
      }),
    ),
    bad: [
      example(
        "src/panel.tsx",
        "function Panel({ open }) {",
        "  if (open) {",
        "    useEffect(() => track(), []);",
        "  }",
        "  return null;",
        "}",
      ),
      example(
        "src/panel.jsx",
        "function Panel({ items }) {",
        "  for (const item of items) {",
        "    const [value] = useState(item);",
        "  }",
        "}",
      ),
    ],
    good: [
      example(
        "src/panel.tsx",
        "function Panel({ open }) {",
        "  useEffect(() => {",
        "    if (open) track();",
        "  }, [open]);",
        "  return null;",
        "}",
      ),
      example("src/hooks.ts", "if (!hooks) {", "  hooks = () => useState(0);", "}"),
    ],
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
    bad: [
      example("app/poll.py", "async def poll():", "    asyncio.sleep(5)"),
      example("app/poll.py", "async def poll(jobs):", "    asyncio.gather(*jobs)"),
    ],
    good: [
      example("app/poll.py", "async def poll():", "    await asyncio.sleep(5)"),
      example("app/poll.py", "async def poll(jobs):", "    return asyncio.gather(*jobs)"),
    ],
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
      python: call(
        "python",
        String.raw`time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen|subprocess\.(run|call|check_call|check_output)`,
        {
          inside: {
            all: [{ kind: "function_definition" }, text(String.raw`^async\b`)],
            stopBy: kinds("function_definition", "lambda", "class_definition"),
          },
        },
      ),
      rust: call("rust", "(std::)?thread::sleep", {
        inside: {
          all: [{ kind: "function_item" }, { has: { kind: "function_modifiers", regex: String.raw`\basync\b` } }],
          stopBy: kinds("function_item", "closure_expression"),
        },
      }),
    },
    bad: [
      example("app/poll.py", "async def poll():", "    time.sleep(5)"),
      example("app/poll.py", "async def load(url):", "    return requests.get(url, timeout=5).json()"),
      example("src/poll.rs", "async fn poll() {", "    std::thread::sleep(PAUSE);", "}"),
    ],
    good: [
      example("app/poll.py", "def poll():", "    time.sleep(5)"),
      example("app/poll.py", "async def poll():", "    await asyncio.to_thread(lambda: time.sleep(5))"),
      example("src/poll.rs", "async fn poll() {", "    tokio::time::sleep(PAUSE).await;", "}"),
    ],
  },
];
