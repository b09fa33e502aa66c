// More cases of rules about dropped values, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const DROPPED_VALUES: Cases = {
  "error-not-thrown": {
    bad: [
      example("app/check.py", "if age < 0:", '    ValueError("age is negative")'),
      example("Check.java", 'class Check { void run() { new IllegalStateException("age is negative"); } }'),
      example("check.php", '<?php if ($age < 0) { new InvalidArgumentException("age is negative"); }'),
    ],
    good: [
      example("app/check.py", "if age < 0:", '    raise ValueError("age is negative")'),
      example("src/check.ts", 'const error = new RangeError("age is negative");'),
    ],
  },
  "discarded-result": {
    bad: [
      example("src/names.js", 'name.replace(/\\s+/g, " ");'),
      example("app/names.py", "name.strip()"),
      example("app/names.py", "sorted(names)"),
      example("Names.java", "class Names { void run(String name) { name.trim(); } }"),
    ],
    good: [
      example("src/names.ts", 'router.replace("/login", options);'),
      example("app/names.py", "name = name.strip()"),
      example("app/files.py", "Path(temporary).replace(final)"),
    ],
  },
};
