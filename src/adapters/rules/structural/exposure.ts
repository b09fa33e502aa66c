// Secrets in the code, and files that anyone can reach.
import type { StructuralRule } from "../rule.ts";
import { call, example, not, script, text, withArguments } from "./shapes.ts";

/** A literal that looks chosen by a generator: letters and digits mixed, no words, no placeholder. */
const SECRET_LITERAL = {
  all: [
    { regex: String.raw`^["'][^\s"'{}$<>]{10,200}["']$` },
    { regex: "[0-9]" },
    { regex: "[a-zA-Z]" },
    not({
      regex: String.raw`(?i)(example|sample|dummy|fake|test|changeme|placeholder|your|xxx|secret|passw|token|key|todo|default|localhost|://|1234|abcd|^["'][a-z]+([-_./:][a-z]+)*[0-9]{0,3}["']$|^["'][a-z0-9]+([-_./:][a-z0-9]+)+["']$|(?-i:^["'][A-Z][A-Z0-9_]*["']$)|[/\\]|%[sdv])`,
    }),
  ],
};
const CREDENTIAL_NAME = String.raw`(?i)(^|[._$"'>-]|[a-z0-9])(password|passwd|pwd|secret|api_?key|auth_?token|access_?token|private_?key|client_?secret)["'\]]*$`;

const hardcodedCredential: StructuralRule = {
  kind: "structural",
  id: "hardcoded-credential",
  title: "Credential is written into the code",
  severity: "major",
  category: "security",
  confidence: 0.7,
  why: "Everyone who can read the repository, its forks or its history can use it, and it cannot be changed without a release.",
  mend: "Read it from the environment or a secret store, and replace the one that was committed.",
  inTests: false,
  onlyWith: /passw|pwd|secret|token|(api|private)_?key/i,
  match: {
    ...script(
      credential("variable_declarator", "name", "value"),
      credential("pair", "key", "value"),
      credential("assignment_expression", "left", "right"),
    ),
    python: [credential("assignment", "left", "right"), credential("keyword_argument", "name", "value")],
    go: [
      {
        all: [
          { any: [{ kind: "short_var_declaration" }, { kind: "assignment_statement" }] },
          { has: { field: "left", regex: CREDENTIAL_NAME } },
          { has: { field: "right", kind: "expression_list", has: SECRET_LITERAL } },
        ],
      },
      credential("const_spec", "name", "value", true),
      credential("var_spec", "name", "value", true),
    ],
    java: [credential("variable_declarator", "name", "value")],
    ruby: [credential("assignment", "left", "right")],
    rust: [credential("const_item", "name", "value"), credential("static_item", "name", "value")],
    php: [
      credential("assignment_expression", "left", "right"),
      {
        all: [
          { kind: "array_element_initializer" },
          { has: { nthChild: 1, regex: CREDENTIAL_NAME } },
          { has: { nthChild: 2, ...SECRET_LITERAL } },
        ],
      },
    ],
  },
  bad: [
    example("src/database.ts", 'const password = "hV7rQ2mZx9LpT4";'),
    example("app/database.py", 'connect(host=HOST, password="hV7rQ2mZx9LpT4")'),
    example("database.go", 'apiKey := "hV7rQ2mZx9LpT4"'),
    example("Database.java", 'private static final String PASSWORD = "hV7rQ2mZx9LpT4";'),
    example("lib/database.rb", 'password = "hV7rQ2mZx9LpT4"'),
    example("src/database.rs", 'const PASSWORD: &str = "hV7rQ2mZx9LpT4";'),
    example("database.php", '<?php $password = "hV7rQ2mZx9LpT4";'),
    example("config.php", '<?php return ["password" => "hV7rQ2mZx9LpT4"];'),
  ],
  good: [
    example("src/database.ts", "const password = process.env.DATABASE_PASSWORD;"),
    example("src/form.ts", 'const password = "settings.password.v2";'),
    example("app/database.py", 'password = "your-password-1"'),
    example("Database.java", 'private static final String PASSWORD = "spring.datasource.password";'),
  ],
};

/** A binding whose name says credential and whose value is a literal that looks like one. */
function credential(kind: string, name: string, value: string, listed = false) {
  const literal = listed
    ? { has: { field: value, has: SECRET_LITERAL } }
    : { has: { field: value, ...SECRET_LITERAL } };
  return { all: [{ kind }, { has: { field: name, regex: CREDENTIAL_NAME } }, literal] };
}

const worldWritable: StructuralRule = {
  kind: "structural",
  id: "world-writable",
  title: "File is made writable for everyone",
  severity: "medium",
  category: "security",
  confidence: 0.8,
  why: "Any other user or process of the machine can replace the content, which often ends in running their code.",
  mend: "Give the owner what it needs: `0o600` for files, `0o700` for folders and programs.",
  inTests: false,
  onlyWith: /chmod|from_mode/i,
  match: {
    ...script(
      call(
        "script",
        String.raw`((fs|fsp|fs\.promises|fsPromises)\.)?(chmod|chmodSync|fchmod|fchmodSync)`,
        withArguments(String.raw`(0o?[0-7]?[0-7][0-7][2367]|["']0?[0-7][0-7][2367]["'])\s*[,)]`),
      ),
    ),
    python: [call("python", String.raw`os\.f?chmod`, withArguments("(0o[0-7]?[0-7][0-7][2367]|S_IWOTH|S_IRWXO)"))],
    go: [call("go", String.raw`os\.Chmod`, withArguments(String.raw`,\s*0o?[0-7]?[0-7][0-7][2367]\s*\)$`))],
    ruby: [call("ruby", "chmod|chmod_R", withArguments(String.raw`^\(?\s*(0o?[0-7]?[0-7][0-7][2367]\b|["']a\+w["'])`))],
    php: [call("php", "chmod", withArguments(String.raw`,\s*0o?[0-7]?[0-7][0-7][2367]\s*\)$`))],
    rust: [
      call("rust", "(std::fs::)?Permissions::from_mode", withArguments(String.raw`^\(0o[0-7]?[0-7][0-7][2367]\)$`)),
    ],
  },
  bad: [
    example("src/setup.ts", "fs.chmodSync(socket, 0o777);"),
    example("app/setup.py", "os.chmod(socket, 0o777)"),
    example("setup.go", "err := os.Chmod(socket, 0777)"),
    example("setup.php", "<?php chmod($socket, 0777);"),
    example("lib/setup.rb", "File.chmod(0777, socket)"),
    example("src/setup.rs", "fs::set_permissions(path, Permissions::from_mode(0o777))?;"),
  ],
  good: [
    example("src/setup.ts", "fs.chmodSync(script, 0o755);"),
    example("app/setup.py", "os.chmod(key, 0o600)"),
    example("setup.go", "err := os.Chmod(script, 0755)"),
  ],
};

const insecureTempFile: StructuralRule = {
  kind: "structural",
  id: "insecure-temp-file",
  title: "Temporary file's name can be taken by someone else",
  severity: "medium",
  category: "security",
  confidence: 0.8,
  why: "Between choosing the name and opening it another user can put a file or link there, and the program writes into it.",
  mend: "Let one call choose the name and open it: `tempfile.NamedTemporaryFile`, `mkstemp`, `os.CreateTemp`, `Tempfile.create`.",
  inTests: false,
  onlyWith: /mktemp|tempnam|tmpnam|sys_get_temp_dir|\/tmp\//,
  match: {
    python: [call("python", String.raw`tempfile\.mktemp|os\.tempnam|os\.tmpnam`)],
    php: [
      call(
        "php",
        "fopen|file_put_contents",
        withArguments(String.raw`sys_get_temp_dir\(\)\s*\.\s*["']/?[\w.-]+["']\s*[,)]`),
      ),
    ],
    ruby: [
      {
        all: [
          call("ruby", "open|write", withArguments(String.raw`^\(?\s*["']/tmp/[^"']*#\{(\$\$|Process\.pid|Time\.now)`)),
          text("^File\\."),
        ],
      },
    ],
  },
  bad: [
    example("app/report.py", "path = tempfile.mktemp()"),
    example("report.php", '<?php file_put_contents(sys_get_temp_dir() . "/report.csv", $rows);'),
    example("lib/report.rb", 'File.write("/tmp/report-#{Process.pid}.csv", rows)'),
  ],
  good: [
    example("app/report.py", "with tempfile.NamedTemporaryFile() as file:", "    file.write(rows)"),
    example("report.php", '<?php file_put_contents(tempnam(sys_get_temp_dir(), "report"), $rows);'),
  ],
};

export const EXPOSURE: readonly StructuralRule[] = [hardcodedCredential, worldWritable, insecureTempFile];
