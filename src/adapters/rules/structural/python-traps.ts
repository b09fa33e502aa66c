// Traps of Python.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, kinds, not, withArguments } from "./shapes.ts";

export const PYTHON_TRAPS: readonly StructuralRule[] = [
  {
    id: "mutable-default",
    title: "Default value is shared between calls and changed here",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "The default is made once, so what one call puts into it is there for the next.",
    fix: "Use `None` as the default and make the list or dict inside the function.",
    inTests: true,
    match: {
      python: {
        all: [
          kinds("default_parameter", "typed_default_parameter"),
          has("value", String.raw`^(\[.*\]|\{.*\}|(list|dict|set|defaultdict|deque)\(.*\))$`),
          { has: { field: "name", pattern: "$NAME", not: { regex: "(?i)(cache|memo|^_)" } } },
          {
            inside: {
              kind: "function_definition",
              stopBy: "end",
              has: {
                field: "body",
                has: {
                  any: [
                    ...["append", "extend", "insert", "update", "add", "setdefault", "pop", "remove", "clear"].map(
                      (method) => ({ pattern: `$NAME.${method}($$$)` }),
                    ),
                    { kind: "assignment", has: { field: "left", pattern: "$NAME[$$$]" } },
                    { pattern: "$NAME[$K] = $V" },
                  ],
                  stopBy: "end",
                },
              },
            },
          },
        ],
      },
    },
    bad: example("app/cart.py", "def add(item, items=[]):", "    items.append(item)", "    return items"),
    good: example(
      "app/cart.py",
      "def add(item, items=None):",
      "    items = [] if items is None else items",
      "    items.append(item)",
    ),
  },
  {
    id: "raise-not-implemented",
    title: "`NotImplemented` is not an exception",
    severity: "medium",
    category: "correctness",
    confidence: 0.95,
    why: "Raising it ends in `TypeError: exceptions must derive from BaseException`.",
    fix: "Raise `NotImplementedError`.",
    inTests: true,
    onlyWith: /NotImplemented/,
    match: { python: { kind: "raise_statement", regex: String.raw`^raise\s+NotImplemented(\(.*\))?$` } },
    fixes: [{ from: /\bNotImplemented\b/, to: "NotImplementedError" }],
    bad: example("app/store.py", "def save(self):", "    raise NotImplemented"),
    good: example("app/store.py", "def save(self):", "    raise NotImplementedError"),
  },
  {
    id: "missing-timeout",
    title: "Request has no timeout",
    severity: "medium",
    category: "reliability",
    confidence: 0.75,
    why: "`requests` waits for ever by default; one silent server then holds the worker until it is restarted.",
    fix: "Give it one: `timeout=10`.",
    onlyWith: /requests\./,
    match: {
      python: calls.python(
        String.raw`requests\.(get|post|put|patch|delete|head|request)`,
        not(withArguments(String.raw`(\btimeout\s*=|\*\*)`)),
      ),
    },
    fixes: [{ from: /,?\s*\)$/, to: ", timeout=10)", languages: ["python"] }],
    bad: example("app/rates.py", "reply = requests.get(URL)"),
    good: example("app/rates.py", "reply = requests.get(URL, timeout=10)"),
  },
];
