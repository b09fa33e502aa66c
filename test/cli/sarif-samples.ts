// One change on which ten tools have something to say, and what they say: test/fixtures/sarif. ESLint's is as it wrote it, the
// others are written after the documentation of each.
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
  "bin/run.sh": "#!/bin/sh\nls -la $1\n",
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
