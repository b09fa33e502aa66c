// Cases of rules about leftovers, by rule.
import type { Cases } from "../rule-cases.ts";

export const LEFTOVERS: Cases = {
  "focused-test": {
    bad: [
      { path: "test/cart.test.ts", code: 'describe.only("cart", () => {' },
      { path: "spec/cart_spec.rb", code: 'it "adds an item", focus: true do' },
      { path: "pkg/cart_test.go", code: '\tFIt("adds an item", func() {' },
      { path: "src/cart.spec.js", code: "  fit('adds an item', () => {" },
    ],
    good: [
      { path: "test/cart.test.ts", code: 'describe("only one cart", () => {' },
      { path: "src/fit.js", code: "const size = fit(width, height);" },
      { path: "src/chart.ts", code: "model.fit('data')" },
    ],
  },
  "debugger-left-in": {
    bad: [
      { path: "src/cart.ts", code: "  debugger;" },
      { path: "app/models/cart.rb", code: "    binding.pry" },
      { path: "app/cart.py", code: "    import pdb; pdb.set_trace()" },
      { path: "src/main.rs", code: "    let total = dbg!(sum(&items));" },
      { path: "app/Cart.php", code: "        dd($items);" },
    ],
    good: [
      { path: "src/rules/no-debugger.ts", code: 'const message = "debugger; is forbidden";' },
      { path: "app/cart.py", code: "# pdb.set_trace() helps here\nbreakpoint_count = 3" },
      { path: "app/models/cart.rb", code: "config.debugger_port = 1234" },
      { path: "src/trace.rs", code: "// dbg!(x) prints to stderr" },
    ],
  },
  "path-of-own-machine": {
    bad: [
      { path: "src/load.py", code: 'DATA = "/Users/mkowalski/projects/data/train.csv"' },
      { path: "build/settings.gradle", code: "includeBuild 'C:\\\\Users\\\\Petra\\\\work\\\\core'" },
    ],
    good: [
      { path: "src/load.py", code: 'DATA = Path.home() / "data" / "train.csv"' },
      { path: "src/urls.ts", code: 'fetch("/Users/me/profile")' },
      { path: "docs/install.md", code: "cd /Users/mkowalski/projects" },
    ],
  },
};
