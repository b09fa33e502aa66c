// One change on which ten tools have something to say, and what they say: test/fixtures/sarif.
//
// Written by the tool itself: eslint (@microsoft/eslint-formatter-sarif); ruff 0.16.9 with its
// default rules, of whose help texts only the first paragraph is kept. Half so: shellcheck 0.9.0
// wrote the JSON, which was converted by hand as shellcheck-sarif does
// (serde-sarif/src/converters/shellcheck.rs of psastras/sarif-rs). gitleaks 8.28.0 wrote the
// members of its sample, and no other; the words of this one are made up, since it would need a
// secret.
//
// No run of the tool was seen for the others. Their messages are made up in their style; each
// member is one that the code of the tool writes: bandit after bandit/formatters/sarif.py
// (PyCQA/bandit, unreleased main; bandit 1.6.2 of Debian, which writes no SARIF, reported the same
// four rules, lines and severities), golangci-lint after pkg/printers/sarif.go (1.6x), gosec after
// report/sarif/formatter.go, semgrep after src/osemgrep/reporting/Sarif_output.ml and a public
// result of an autofix, trivy after pkg/report/sarif.go. CodeQL is closed: its sample follows
// "CodeQL CLI SARIF output" of GitHub's documentation and, for rules in `extensions`, reports of
// others; it is the least certain.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../fixtures/sarif/", import.meta.url));

export const SARIF_SAMPLES: readonly string[] = readdirSync(FOLDER)
  .toSorted()
  .map((name) => join(FOLDER, name));

export const LINTED_FILES: Readonly<Record<string, string>> = {
  Dockerfile: 'FROM debian:12\nCMD ["sleep", "1"]\n',
  "api/app.py": [
    "import os",
    "import pickle",
    "import subprocess",
    "",
    "def run(name):",
    '    subprocess.call("ls " + name, shell=True)',
    "    return pickle.loads(name)",
    "",
  ].join("\n"),
  "bin/run.sh": '#!/bin/sh\ncd "$2"\nls -la $1\n',
  "cmd/main.go": [
    "package main",
    "",
    "import (",
    '\t"os"',
    '\t"os/exec"',
    ")",
    "",
    "func main() {",
    "\texec.Command(os.Args[1]).Run()",
    "}",
    "",
  ].join("\n"),
  "config/dev.ini": "[billing]\nkey = of-the-vault\n",
  "web/app.js": [
    'import { render } from "./render.js";',
    "",
    "export function preview(query) {",
    "  const unused = 1;",
    '  if (query.total == null) return "";',
    "  return eval(query.formula);",
    "}",
    "",
    "export function show(node, query) {",
    "  node.innerHTML = query.text;",
    "}",
    "",
  ].join("\n"),
};
