// Cases of the rules in repository/checks.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const CHECKS: Cases = {
  "check-removed": {
    bad: [
      {
        path: "app/orders.py",
        before:
          "def show(user, order):\n    if not user.has_permission(order):\n        raise Forbidden()\n    return render(user, order)\n",
        code: "def show(user, order):\n    return render(user, order)\n",
      },
      {
        path: "src/record.c",
        before:
          "int read(s) {\n    if (1 + 2 + payload + 16 > s->length)\n        return 0;\n    memcpy(out, s->data, payload);\n}\n",
        code: "int read(s) {\n    memcpy(out, s->data, payload);\n}\n",
      },
    ],
    good: [
      {
        path: "app/orders.py",
        before:
          "def show(user, order):\n    if not user.has_permission(order):\n        raise Forbidden()\n    return render(user, order)\n",
        code: "def show(user, order):\n    if not user.may_read(order):\n        raise Forbidden()\n    return render(user, order)\n",
      },
      {
        path: "app/orders.py",
        before:
          "def show(user, order):\n    if not user.is_authenticated:\n        raise Forbidden()\n    return order\n",
        code: "def show(user, order):\n    require_authenticated(user.is_authenticated)\n    return order\n",
      },
    ],
  },
};
