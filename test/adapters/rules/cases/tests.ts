// More cases of the rules in repository/tests.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const TESTS: Cases = {
  "last-test-removed": {
    bad: [
      {
        path: "tests/test_mail.py",
        before:
          "from app.mail import send, compose\n\ndef test_send():\n    assert send(compose())\n\ndef test_compose():\n    assert compose()\n",
        code: "from app.mail import compose\n\ndef test_compose():\n    assert compose()\n",
        beside: { "app/mail.py": "def send(message):\n    return True\n\ndef compose():\n    return 1\n" },
      },
    ],
    good: [
      {
        path: "test/users.test.ts",
        before:
          'import { rename } from "../src/users.ts";\ntest("a name is trimmed", () => {\n  expect(rename(" Ada ")).toBe("Ada");\n});\n',
        code: "",
        beside: { "src/names.ts": "export function trimmed(name: string) {\n  return name.trim();\n}\n" },
      },
    ],
  },
  "check-removed": {
    bad: [
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
          "def show(user, order):\n    if not user.is_authenticated:\n        raise Forbidden()\n    return order\n",
        code: "def show(user, order):\n    require_authenticated(user.is_authenticated)\n    return order\n",
      },
    ],
  },
};
