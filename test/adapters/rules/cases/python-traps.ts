// More cases of rules about python traps, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const PYTHON_TRAPS: Cases = {
  "mutable-default": {
    bad: [example("app/cart.py", "def index(item, seen: dict = {}):", "    seen[item.id] = item", "    return seen")],
    good: [
      example("app/cart.py", "def price(item, cache={}):", "    cache[item.id] = item.price"),
      example("app/cart.py", "def show(item, labels=[]):", "    return render(item, labels)"),
    ],
  },
  "raise-not-implemented": {
    bad: [example("app/store.py", "def save(self):", '    raise NotImplemented("save")')],
    good: [example("app/store.py", "def __eq__(self, other):", "    return NotImplemented")],
  },
  "missing-timeout": {
    bad: [example("app/rates.py", 'reply = requests.post(URL, json={"day": day}, headers=HEADERS)')],
    good: [example("app/rates.py", "reply = requests.get(URL, **options)")],
  },
};
