// More cases of rules about conditions, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const CONDITIONS: Cases = {
  "self-comparison": {
    bad: [
      example("app/range.py", "if first.end == first.end:", "    merge()"),
      example("Range.java", "class Range { boolean same() { return left.end == left.end; } }"),
      example("range.php", "<?php if ($a->end === $a->end) { merge(); }"),
    ],
    good: [
      example("src/range.ts", "if (next() === next()) return;", "const isNaN = value !== value;"),
      example("app/range.py", "if first.end == second.end:", "    merge()"),
      example("range.php", "<?php if ($a->end === $b->end) { merge(); }"),
    ],
  },
  "assignment-in-condition": {
    bad: [
      example("src/order.js", "if (ready = true) ship(order);"),
      example("order.php", "<?php if ($ready = true) { ship($order); }"),
      example("lib/order.rb", "if state = :paid", "  ship(order)", "end"),
    ],
    good: [
      example("src/order.js", "if ((match = pattern.exec(line))) use(match);"),
      example("lib/order.rb", "if order = Order.find_by(id: id)", "  ship(order)", "end"),
    ],
  },
};
