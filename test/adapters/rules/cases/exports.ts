// Cases of the rules in repository/exports.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const EXPORTS: Cases = {
  "import-of-removed-export": {
    bad: [
      {
        path: "src/users.ts",
        before: "export function rename(id: number) {\n  return id;\n}\n",
        code: "export function renamePerson(id: number) {\n  return id;\n}\n",
        beside: { "src/server.ts": 'import { rename } from "./users.js";\n\nrename(7);\n' },
      },
      {
        path: "src/format/index.ts",
        before: "export default function format(n: number) {\n  return String(n);\n}\n",
        code: "",
        beside: { "src/server.ts": 'import format from "./format";\n\nformat(7);\n' },
      },
      {
        path: "app/mail.py",
        before: "def send(message):\n    connect().send(message)\n",
        code: "def deliver(message):\n    connect().send(message)\n",
        beside: { "app/report.py": "from .mail import send\n\nsend(compose())\n" },
      },
    ],
    good: [
      {
        path: "src/users.ts",
        before: "export function rename(id: number) {\n  return id;\n}\n",
        code: "function renamePerson(id: number) {\n  return id;\n}\nexport { renamePerson as rename };\n",
        beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(7);\n' },
      },
      {
        path: "src/users.ts",
        before: "export function rename(id: number) {\n  return id;\n}\n",
        code: "export function renamePerson(id: number) {\n  return id;\n}\n",
        beside: { "src/server.ts": 'import { rename } from "./files.ts";\n// import { rename } from "./users.ts";\n' },
      },
      {
        path: "src/format.ts",
        before: "export default function format(n: number) {\n  return String(n);\n}\n",
        code: "",
        beside: {
          "src/server.ts": 'import format from "./format";\n\nformat(7);\n',
          "src/format/index.ts": "export default (n: number) => String(n);\n",
        },
      },
    ],
  },
};
