// More cases of rules about hidden text, by rule.
import type { Cases } from "../rule-cases.ts";

export const HIDDEN_TEXT: Cases = {
  "bidi-control": {
    bad: [{ path: "src/login.c", code: "/*\u202E } \u2066if (isAdmin)\u2069 \u2066 begin admins only */" }],
    good: [{ path: "src/bidi.ts", code: String.raw`const RLO = "\u202E";` }],
  },
  "invisible-character": {
    bad: [{ path: "README.md", code: "Read this.\u{E0049}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}" }],
    good: [
      { path: "locales/fa.json", code: '{ "books": "کتاب\u200Cها" }' },
      { path: "src/Program.cs", code: "\uFEFFusing System;" },
    ],
  },
  "mixed-script-identifier": {
    bad: [{ path: "src/pay.ts", code: "const p\u0430ypal = connect();" }],
    good: [
      { path: "src/messages.ru.ts", code: 'const title = "HTTP-запрос к SQLсерверу";' },
      { path: "src/unit.go", code: "const µs = 1000" },
    ],
  },
  "control-character": {
    bad: [{ path: "src/key.py", code: 'SEPARATOR = "\u0000"' }],
    good: [
      { path: "Makefile", code: "RED = \u001B[31m\nall:\n\tcc main.c" },
      { path: "src/old.el", code: "\f\n;;; Section" },
    ],
  },
  "merge-marker": {
    bad: [
      {
        path: "config.yml",
        code: "port: 80\n<<<<<<< ours\nhost: a\n||||||| base\nhost: b\n=======\nhost: c\n>>>>>>> theirs",
      },
    ],
    good: [{ path: "src/banner.py", code: "print('>>>>>>> done')\nprint('<<<<<<< start')" }],
  },
};
