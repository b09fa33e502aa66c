// Numbers, threads and locks that do not behave as they read.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, text, withArguments } from "./shapes.ts";

export const THREADS_AND_NUMBERS: readonly StructuralRule[] = [
  {
    id: "decimal-from-float",
    title: "Decimal is made from a binary fraction",
    severity: "medium",
    category: "correctness",
    confidence: 0.9,
    why: "0.1 has no exact binary form: the decimal becomes 0.1000000000000000055 and so on.",
    fix: 'Make it from text (`new BigDecimal("0.1")`, `Decimal("0.1")`) or with `BigDecimal.valueOf`.',
    onlyWith: /Decimal/,
    match: {
      java: {
        all: [
          { kind: "object_creation_expression", has: { field: "type", regex: "^BigDecimal$" } },
          withArguments(String.raw`^\(\s*\d*\.\d*[1-9]\d*[dDfF]?\s*\)$`),
          not(withArguments(String.raw`^\(\s*\d*\.(5|25|75|125|375|625|875)\s*\)$`)),
        ],
      },
      python: calls.python(
        String.raw`(decimal\.)?Decimal`,
        withArguments(String.raw`^\(\s*-?\d*\.\d*[1-9]\d*\s*\)$`),
        not(withArguments(String.raw`^\(\s*-?\d*\.(5|25|75|125|375|625|875)\s*\)$`)),
      ),
    },
    fixes: [{ from: /\(\s*(-?\d+\.\d+)\s*\)/, to: '("$1")' }],
    bad: example("Price.java", "class Price { BigDecimal rate = new BigDecimal(0.19); }"),
    good: example("Price.java", 'class Price { BigDecimal rate = new BigDecimal("0.19"); }'),
  },
  {
    id: "thread-run",
    title: "`run` executes in this thread; `start` begins a new one",
    severity: "major",
    category: "correctness",
    confidence: 0.95,
    why: "The caller waits until the work is done, and no thread is started.",
    fix: "Call `start()`.",
    inTests: true,
    onlyWith: /Thread/,
    match: {
      java: calls.java("run", withArguments(String.raw`^\(\s*\)$`), has("object", String.raw`(?s)^\(?new Thread\(`)),
      python: calls.python(String.raw`(?s)(threading\.)?Thread\(.*\)\.run`),
    },
    fixes: [{ from: /\.run\(\)/, to: ".start()" }],
    bad: example("Work.java", "class Work { void go() { new Thread(job).run(); } }"),
    good: example("Work.java", "class Work { void go() { new Thread(job).start(); } }"),
  },
  {
    id: "shared-date-format",
    title: "`SimpleDateFormat` is shared between threads",
    severity: "medium",
    category: "correctness",
    confidence: 0.9,
    why: "It keeps its state in fields: two threads that use it at once get each other's dates.",
    fix: "Use `DateTimeFormatter`, which does not change.",
    onlyWith: /DateFormat/,
    match: {
      java: node("field_declaration", text(String.raw`\bstatic\b`), has("type", "^(SimpleDateFormat|DateFormat)$")),
    },
    bad: example(
      "Dates.java",
      'class Dates { private static final SimpleDateFormat DAY = new SimpleDateFormat("yyyy-MM-dd"); }',
    ),
    good: example(
      "Dates.java",
      'class Dates { static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd"); }',
    ),
  },
  {
    id: "interrupt-swallowed",
    title: "Interrupt is swallowed",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "Catching `InterruptedException` clears the flag; the thread pool then cannot stop this thread.",
    fix: "Call `Thread.currentThread().interrupt()` in the handler, or let the exception through.",
    onlyWith: /InterruptedException/,
    match: {
      java: node(
        "catch_clause",
        { has: { kind: "catch_formal_parameter", regex: String.raw`^(final\s+)?InterruptedException\s+\w+$` } },
        has("body", String.raw`(?s)^\{\s*(//[^\n]*\s*|\w*\.?printStackTrace\(\);\s*)?\}$`),
        not(text(String.raw`\b(ignored?|expected)\b`)),
      ),
    },
    bad: example(
      "Poll.java",
      "class Poll { void run() { try { Thread.sleep(5); } catch (InterruptedException e) { } } }",
    ),
    good: example(
      "Poll.java",
      "class Poll { void run() { try { Thread.sleep(5); } catch (InterruptedException e) { Thread.currentThread().interrupt(); } } }",
    ),
  },
];
