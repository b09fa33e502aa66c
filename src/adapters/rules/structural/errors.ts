// Errors that vanish.
import type { StructuralRule } from "../rule.ts";
import { example, has, node, not, script, text } from "./shapes.ts";

export const ERRORS: readonly StructuralRule[] = [
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
];
