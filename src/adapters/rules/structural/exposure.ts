// Files that anyone can reach.
import type { StructuralRule } from "../rule.ts";
import { calls, example, text, withArguments } from "./shapes.ts";

export const EXPOSURE: readonly StructuralRule[] = [
  {
    id: "world-writable",
    title: "File is made writable for everyone",
    severity: "medium",
    category: "security",
    confidence: 0.8,
    why: "Any other user or process of the machine can replace the content, which often ends in running their code.",
    fix: "Give the owner what it needs: `0o600` for files, `0o700` for folders and programs.",
    onlyWith: /chmod|from_mode/i,
    match: {
      ...calls.inScript(
        String.raw`((fs|fsp|fs\.promises|fsPromises)\.)?(chmod|chmodSync|fchmod|fchmodSync)`,
        withArguments(String.raw`(0o?[0-7]?[0-7][0-7][2367]|["']0?[0-7][0-7][2367]["'])\s*[,)]`),
      ),
      python: calls.python(String.raw`os\.f?chmod`, withArguments("(0o[0-7]?[0-7][0-7][2367]|S_IWOTH|S_IRWXO)")),
      go: calls.go(String.raw`os\.Chmod`, withArguments(String.raw`,\s*0o?[0-7]?[0-7][0-7][2367]\s*\)$`)),
      ruby: calls.ruby("chmod|chmod_R", withArguments(String.raw`^\(?\s*(0o?[0-7]?[0-7][0-7][2367]\b|["']a\+w["'])`)),
      php: calls.php("chmod", withArguments(String.raw`,\s*0o?[0-7]?[0-7][0-7][2367]\s*\)$`)),
      rust: calls.rust("(std::fs::)?Permissions::from_mode", withArguments(String.raw`^\(0o[0-7]?[0-7][0-7][2367]\)$`)),
    },
    fixes: [
      { from: /\b(0o?)777\b/, to: "$1755" },
      { from: /\b(0o?)666\b/, to: "$1644" },
    ],
    bad: example("src/setup.ts", "fs.chmodSync(socket, 0o777);"),
    good: example("src/setup.ts", "fs.chmodSync(script, 0o755);"),
  },
  {
    id: "insecure-temp-file",
    title: "Temporary file's name can be taken by someone else",
    severity: "medium",
    category: "security",
    confidence: 0.8,
    why: "Between choosing the name and opening it another user can put a file or link there, and the program writes into it.",
    fix: "Let one call choose the name and open it: `tempfile.NamedTemporaryFile`, `mkstemp`, `os.CreateTemp`, `Tempfile.create`.",
    onlyWith: /mktemp|tempnam|tmpnam|sys_get_temp_dir|\/tmp\//,
    match: {
      python: calls.python(String.raw`tempfile\.mktemp|os\.tempnam|os\.tmpnam`),
      php: calls.php(
        "fopen|file_put_contents",
        withArguments(String.raw`sys_get_temp_dir\(\)\s*\.\s*["']/?[\w.-]+["']\s*[,)]`),
      ),
      ruby: calls.ruby(
        "open|write",
        withArguments(String.raw`^\(?\s*["']/tmp/[^"']*#\{(\$\$|Process\.pid|Time\.now)`),
        text("^File\\."),
      ),
    },
    bad: example("app/report.py", "path = tempfile.mktemp()"),
    good: example("app/report.py", "with tempfile.NamedTemporaryFile() as file:", "    file.write(rows)"),
  },
];
