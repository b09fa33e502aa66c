// Locks, contexts and deferred calls of Go that compile and do not do what they say.
import type { StructuralRule } from "../rule.ts";
import { call, example, has, kinds, node, text, withArguments } from "./shapes.ts";

export const GO_TRAPS: readonly StructuralRule[] = [
  {
    id: "defer-in-loop",
    title: "`defer` in a loop runs only when the function ends",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "Files, rows and locks of every round stay open until then, and a long loop runs out of them.",
    fix: "Close at the end of the round, or move its body into a function.",
    onlyWith: /defer/,
    match: {
      go: node("defer_statement", text(String.raw`\.(Close|Unlock|RUnlock|Release|Rollback|Stop)\(\)$`), {
        inside: { kind: "for_statement", stopBy: kinds("func_literal", "function_declaration", "method_declaration") },
      }),
    },
    bad: [
      example(
        "read.go",
        "for _, name := range names {",
        "\tf, err := os.Open(name)",
        "\tif err != nil {",
        "\t\treturn err",
        "\t}",
        "\tdefer f.Close()",
        "}",
      ),
      example("read.go", "for {", "\tmu.Lock()", "\tdefer mu.Unlock()", "}"),
    ],
    good: [
      example(
        "read.go",
        "for _, name := range names {",
        "\tfunc() {",
        "\t\tf := open(name)",
        "\t\tdefer f.Close()",
        "\t}()",
        "}",
      ),
      example("read.go", "defer f.Close()", "for scanner.Scan() {", "\tcount++", "}"),
    ],
  },
  {
    id: "lock-copied",
    title: "Lock is passed by value",
    severity: "major",
    category: "correctness",
    confidence: 0.95,
    why: "The copy is a lock of its own, so caller and callee do not exclude each other.",
    fix: "Pass a pointer: `mu *sync.Mutex`.",
    inTests: true,
    onlyWith: /sync\./,
    match: {
      go: {
        kind: "parameter_declaration",
        has: { field: "type", regex: String.raw`^sync\.(Mutex|RWMutex|WaitGroup|Once|Cond)$` },
      },
    },
    bad: [
      example("work.go", "func work(mu sync.Mutex) {\n\tmu.Lock()\n}"),
      example("work.go", "go func(wg sync.WaitGroup) { wg.Done() }(wg)"),
    ],
    good: [
      example("work.go", "func work(mu *sync.Mutex) {\n\tmu.Lock()\n}"),
      example("work.go", "type work struct {\n\tmu sync.Mutex\n}"),
    ],
  },
  {
    id: "waitgroup-add-in-goroutine",
    title: "`Add` runs inside the goroutine that it counts",
    severity: "major",
    category: "correctness",
    confidence: 0.9,
    why: "`Wait` may run before the goroutine starts, sees zero and does not wait.",
    fix: "Call `Add` before the `go` statement, or use `wg.Go`.",
    inTests: true,
    onlyWith: /\.Add\(1\)/,
    match: {
      go: call(
        "go",
        String.raw`\w*([wW][gG]|[wW]ait[gG]roup)\.Add`,
        withArguments(String.raw`^\(1\)$`),
        {
          inside: {
            kind: "func_literal",
            inside: { kind: "call_expression", inside: { kind: "go_statement" } },
            stopBy: kinds("function_declaration", "for_statement"),
          },
        },
        { inside: { kind: "expression_statement", nthChild: 1 } },
      ),
    },
    bad: [
      example("work.go", "go func() {", "\twg.Add(1)", "\tdefer wg.Done()", "\twork()", "}()"),
      example(
        "work.go",
        "for _, job := range jobs {",
        "\tgo func() {",
        "\t\twg.Add(1)",
        "\t\tjob.Run()",
        "\t\twg.Done()",
        "\t}()",
        "}",
      ),
    ],
    good: [
      example("work.go", "wg.Add(1)", "go func() {", "\tdefer wg.Done()", "\twork()", "}()"),
      example("work.go", "wg.Go(work)"),
    ],
  },
  {
    id: "lost-cancel",
    title: "Context can never be cancelled",
    severity: "medium",
    category: "reliability",
    confidence: 0.9,
    why: "Without its cancel function the context and its timer live on until the parent ends.",
    fix: "Keep the function and call it: `ctx, cancel := …; defer cancel()`.",
    onlyWith: /context\.With/,
    match: {
      go: {
        all: [
          kinds("short_var_declaration", "assignment_statement"),
          has("left", String.raw`,\s*_$`),
          has("right", String.raw`^context\.With(Cancel|Timeout|Deadline)\(`),
        ],
      },
    },
    bad: [
      example("fetch.go", "ctx, _ := context.WithTimeout(ctx, time.Second)"),
      example("fetch.go", "ctx, _ = context.WithCancel(ctx)"),
    ],
    good: [
      example("fetch.go", "ctx, cancel := context.WithTimeout(ctx, time.Second)", "defer cancel()"),
      example("fetch.go", 'ctx := context.WithValue(ctx, key, "value")'),
    ],
  },
  {
    id: "deferred-lock",
    title: "`defer` takes the lock instead of releasing it",
    severity: "major",
    category: "correctness",
    confidence: 0.95,
    why: "The function ends by taking the lock again, and the next one that wants it waits for ever.",
    fix: "Write `defer mu.Unlock()`.",
    inTests: true,
    onlyWith: /defer/,
    match: { go: { kind: "defer_statement", regex: String.raw`^defer\s+[\w.]+\.R?Lock\(\)$` } },
    fixes: [{ from: /\.(R?)Lock\(\)/, to: ".$1Unlock()" }],
    bad: [
      example("store.go", "s.mu.Lock()", "defer s.mu.Lock()"),
      example("store.go", "mu.RLock()", "defer mu.RLock()"),
    ],
    good: [
      example("store.go", "s.mu.Lock()", "defer s.mu.Unlock()"),
      example("store.go", "mu.RLock()", "defer mu.RUnlock()"),
    ],
  },
];
