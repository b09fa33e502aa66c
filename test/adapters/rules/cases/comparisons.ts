// More cases of rules about comparisons, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const COMPARISONS: Cases = {
  "nan-comparison": {
    bad: [
      example("app/mean.py", "if mean == np.nan:", "    return 0"),
      example("mean.go", "if mean == math.NaN() { return 0 }"),
      example("Mean.java", "class Mean { boolean bad(double mean) { return mean == Double.NaN; } }"),
      example("src/mean.rs", "fn bad(mean: f64) -> bool { mean == f64::NAN }"),
      example("lib/mean.rb", "return 0 if mean == Float::NAN"),
      example("mean.php", "<?php if ($mean === NAN) { stop(); }"),
    ],
    good: [
      example("app/mean.py", "if math.isnan(mean):", "    return 0"),
      example("mean.go", "if math.IsNaN(mean) { return 0 }"),
    ],
  },
  "is-literal": {
    bad: [
      example("app/state.py", "if count is not 0:", "    ship()"),
      example("app/state.py", "if items is []:", "    close()"),
    ],
    good: [
      example("app/state.py", "if state is None or state is True:", "    wait()"),
      example("app/state.py", "if names[0] is first:", "    ship()"),
    ],
  },
  "string-identity": {
    bad: [example("Order.java", 'class Order { void run() { if ("paid" != state) { wait(state); } } }')],
    good: [example("Order.java", "class Order { boolean none() { return state == null; } }")],
  },
  "strpos-as-boolean": {
    bad: [
      example("search.php", '<?php if (!strpos($path, "/admin")) { allow(); }'),
      example("src/search.js", 'if (path.indexOf("/admin")) refuse();'),
    ],
    good: [
      example("search.php", '<?php if (!str_contains($path, "/admin")) { allow(); }'),
      example("src/search.js", 'if (path.indexOf("/admin") === 0) refuse();'),
    ],
  },
};
