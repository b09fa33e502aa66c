// More cases of rules about collections, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const COLLECTIONS: Cases = {
  "numeric-sort": {
    bad: [
      example("src/median.js", "const sorted = [10, 9, 1].sort();"),
      example("src/median.js", "const sizes = files.map((file) => file.lines.length).sort();"),
    ],
    good: [example("src/names.ts", "const sorted = users.map((user) => user.name).sort();")],
  },
  "modified-while-iterating": {
    bad: [
      example("app/cart.py", "for key in cache:", "    del cache[key]"),
      example(
        "Cart.java",
        "class Cart { void clean() { for (Item item : items) { if (item.gone()) { items.remove(item); } } } }",
      ),
    ],
    good: [
      example("app/cart.py", "for item in items:", "    if item.gone:", "        items.remove(item)", "        break"),
      example("Cart.java", "class Cart { void clean() { items.removeIf(Item::gone); } }"),
    ],
  },
  "absolute-part-in-join": {
    bad: [example("src/files.js", 'const path = path.resolve(__dirname, "/public");')],
    good: [example("src/files.js", 'const file = path.join(__dirname, "/public");')],
  },
};
