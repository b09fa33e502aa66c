// More cases of the rules in repository/keys.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const KEYS: Cases = {
  "key-spelled-otherwise": {
    bad: [
      {
        path: "app/mail.py",
        code: 'import os\n\nHOST = os.getenv("MAILHOST")',
        beside: { ".env.example": "MAIL_HOST=localhost\n" },
      },
    ],
    good: [
      {
        path: "src/jobs.ts",
        code: "export const first = process.env.SERVER_1;\nexport const all = process.env.WORKER;",
        beside: { ".env": "SERVER_2=b\nWORKERS=4\n", "docs/setup.md": "Set `SERVER_1`.\n" },
      },
    ],
  },
};
