// More cases of rules about dependencies, by rule.
import type { Cases } from "../rule-cases.ts";

export const DEPENDENCIES: Cases = {
  "install-script-downloads": {
    bad: [
      {
        path: "packages/core/package.json",
        code: `    "preinstall": "node -e \\"require('child_process').exec('wget acme.io/x')\\""`,
      },
    ],
    good: [{ path: "package.json", code: '    "fetch": "curl -s https://api.acme.io/schema.json -o schema.json"' }],
  },
  "dependency-any-version": {
    bad: [{ path: "package.json", code: '{\n  "dependencies": {\n    "express": "*",\n  }\n}' }],
    good: [
      {
        path: "package.json",
        code: '{\n  "devDependencies": {\n    "react": "*"\n  },\n  "engines": {\n    "node": ">=20"\n  }\n}',
      },
    ],
  },
  "dependency-follows-branch": {
    bad: [
      { path: "requirements.txt", code: "parser @ git+https://github.com/acme/parser.git@main" },
      { path: "Cargo.toml", code: 'parser = { git = "https://github.com/acme/parser", branch = "main" }' },
    ],
    good: [
      { path: "requirements.txt", code: "parser @ git+https://github.com/acme/parser.git@3f2a9c1" },
      { path: "Cargo.toml", code: 'parser = { git = "https://github.com/acme/parser", rev = "3f2a9c1" }' },
    ],
  },
};
