// More cases of rules about branches, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const BRANCHES: Cases = {
  "same-branches": {
    bad: [
      example("src/sort.js", "if (ascending) { sort(rows); } else { sort(rows); }"),
      example("app/sort.py", "step = 1 if ascending else 1"),
      example("sort.go", "if ascending {\n\tsort(rows)\n} else {\n\tsort(rows)\n}"),
      example("Sort.java", "class Sort { int step(boolean up) { return up ? 1 : 1; } }"),
      example("lib/sort.rb", "step = ascending ? 1 : 1"),
      example("sort.php", "<?php $step = $ascending ? 1 : 1;"),
    ],
    good: [
      example("src/sort.js", "if (ascending) { sort(rows); } else { sort(reversed(rows)); }"),
      example("app/sort.py", "step = 1 if ascending else -1"),
      example("sort.go", "if ascending {\n\tsort(rows)\n} else {\n\treverse(rows)\n}"),
    ],
  },
  "duplicate-condition": {
    bad: [
      example("app/size.py", "if isinstance(a, int):", "    big()", "elif isinstance(a, int):", "    bigger()"),
      example("Size.java", "class Size { void run() { if (size > 10) big(); else if (size > 10) bigger(); } }"),
    ],
    good: [
      example("Read.java", "class Read { void run() { if (queue.next()) first(); else if (queue.next()) second(); } }"),
      example("app/size.py", "if size > 100:", "    bigger()", "elif size > 10:", "    big()"),
    ],
  },
};
