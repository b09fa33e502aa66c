// Text and data of others that become a program: SQL, a shell command, code, objects, fetched documents.
import { rulesOf, type StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, REQUEST, script, text, unless, withArguments } from "./shapes.ts";

/** How a statement of SQL begins, up to where values stand. Case does not matter. */
const SQL = String.raw`\s*(select\b.*\bfrom|insert\s+into|update\b.*\bset|delete\s+from)\b.*`;

/** Where a value stands: after a comparison, LIKE or VALUES, perhaps inside quotes. Table and column names do not. */
const VALUE = String.raw`(=|<|>|\blike|\bvalues\s*\()\s*\\?['"]?%?`;

/** Names in capitals are constants; these words say that the value was made harmless. */
const HARMLESS = String.raw`(?i)(escape|quote|sanitize|placeholder|parseint|number\(|intval|\bint\(|\(int\))`;

/** A joined string of SQL: `"… WHERE a = '" + name`. */
function joined(kind: string, operator: string, name: string) {
  return node(kind, text(`(?i)^[rb]*["'\`]+${SQL}${VALUE}["'\`]+\\s*${operator}\\s*(?-i:${name})`));
}

const QUOTED = not(text(String.raw`(?i)(shell_?escape|shellquote|shell_?quote|shlex|escapeshell|quote\()`));

/** Words of values that came from outside the process. */
const OUTSIDE = String.raw`(?i:\b(base64|b64decode|cookie|recv|payload|untrusted|request_body|message\.body|redis\w*\.get|socket)\b)`;

export const INJECTION = rulesOf<StructuralRule>("security", [
  {
    id: "sql-from-strings",
    title: "SQL statement is built from strings",
    severity: "major",
    confidence: 0.85,
    why: "A value pasted into SQL can end the literal it stands in and add statements of its own (SQL injection); an honest apostrophe already breaks the query.",
    fix: "Pass values as parameters (`?`, `$1`, `:name`) and let the driver quote them.",
    onlyWith: /\bselect\s|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b/i,
    match: unless(HARMLESS, {
      ...script(
        node(
          "template_string",
          text(`(?i)^\`${SQL}${VALUE}\\$\\{(?-i:[a-z])`),
          // A tag (sql`…`) receives the values apart from the text.
          not({ inside: { kind: "call_expression" } }),
        ),
        joined("binary_expression", "\\+", "[a-z]"),
      ),
      python: [
        node(["string", "concatenated_string"], text(`(?i)^[rbuf]*["']+${SQL}${VALUE}\\{(?-i:[a-z])`), {
          any: [text(`^[rb]*[fF]`), text(`\\s[rb]*[fF]["']`)],
        }),
        node("binary_operator", text(`(?i)^[rb]*["']+${SQL}${VALUE}%s.*["']\\s*%\\s*[(a-z]`)),
        calls.python(`(?is)[rb]*["']+${SQL}${VALUE}\\{.*["']\\.format`),
        joined("binary_operator", "\\+", "[a-z]"),
      ],
      go: [
        calls.go("fmt\\.Sprintf", withArguments(`(?i)^\\(["\`]${SQL}${VALUE}%[svq]`)),
        joined("binary_expression", "\\+", "[a-z]"),
      ],
      java: [
        node("method_invocation", text(`(?i)^String\\.format\\("${SQL}${VALUE}%s`)),
        joined("binary_expression", "\\+", "[a-z]"),
      ],
      ruby: [node("string", text(`(?i)^"${SQL}${VALUE}#\\{(?-i:[a-z@])`))],
      rust: [node("macro_invocation", text(`(?i)^format!\\(\\s*r?#*"${SQL}${VALUE}\\{[a-z_0-9]*\\}`))],
      php: [node("encapsed_string", text(`(?i)^"${SQL}${VALUE}\\{?\\$`)), joined("binary_expression", "\\.", "\\$")],
    }),
    bad: example("src/users.ts", `const rows = await db.query(\`SELECT * FROM users WHERE name = '\${name}'\`);`),
    good: example("src/users.ts", 'await db.query("SELECT * FROM users WHERE name = $1", [name]);'),
  },
  {
    id: "shell-from-strings",
    title: "Shell command is built from strings",
    severity: "major",
    confidence: 0.75,
    why: "The shell reads spaces, quotes, `;` and `$( )` in a pasted value as syntax, so a file name or branch name can run commands.",
    fix: "Start the program directly with a list of arguments (no shell), or quote each value with the language's own function.",
    onlyWith: /exec(Sync)?\(|exec\.Command|Command::new|subprocess|\bsystem[ (]|popen|passthru|capture[23]|#\{/,
    match: {
      ...script({
        ...calls.script(
          String.raw`exec|execSync|(child_process|childProcess|cp)\.(exec|execSync)`,
          {
            has: {
              field: "arguments",
              has: {
                any: [
                  node("template_string", text(String.raw`\$\{[a-z]`)),
                  node("binary_expression", text("^[\"'`].*\\+\\s*[a-z]")),
                ],
              },
            },
          },
          QUOTED,
        ),
      }),
      python: [
        calls.python(
          String.raw`subprocess\.(run|call|check_call|check_output|Popen)`,
          withArguments(String.raw`shell\s*=\s*True`),
          withArguments(
            String.raw`^\(\s*([rb]*f["']+.*\{|[rb]*["'][^,]*["']\s*(%|\+)\s*[a-z(]|[rb]*["'].*["']\.format\()`,
          ),
          QUOTED,
        ),
        calls.python(
          String.raw`os\.(system|popen)`,
          withArguments(
            String.raw`^\(\s*([rb]*f["']+.*\{[a-z]|[rb]*["'].*["']\s*(%|\+)\s*[a-z(]|[rb]*["'].*["']\.format\()`,
          ),
          QUOTED,
        ),
      ],
      go: calls.go(
        String.raw`exec\.Command(Context)?`,
        withArguments(String.raw`"(/bin/)?(ba|z)?sh",\s*"-l?c",\s*(fmt\.Sprintf\(|["\x60].*["\x60]\s*\+\s*[a-z])`),
        QUOTED,
      ),
      java: calls.java(
        "exec",
        text(String.raw`getRuntime\(\)\s*\.exec\(`),
        withArguments(String.raw`^\(\s*("[^"]*"\s*\+\s*[a-z]|String\.format\()`),
      ),
      ruby: [
        calls.ruby(
          "system|exec|popen|capture2|capture2e|capture3",
          withArguments(String.raw`^\(?\s*"[^"]*#\{[a-z@][^"]*"\s*(\)?$|,\s*(out|err|in|chdir|exception):)`),
          QUOTED,
        ),
        node("subshell", text(String.raw`#\{[a-z@]`), QUOTED),
      ],
      php: calls.php(
        "exec|shell_exec|system|passthru|popen|proc_open",
        withArguments(String.raw`^\(\s*(".*\$|["'].*["']\s*\.\s*\$|\$_(GET|POST|REQUEST))`),
        QUOTED,
      ),
      rust: node(
        "call_expression",
        text(String.raw`Command::new\("(/bin/)?(ba|z)?sh"\)\s*\.arg\("-l?c"\)\s*\.arg\(\s*&?format!\([^()]*\)\s*\)$`),
        QUOTED,
      ),
    },
    bad: example("src/thumbnail.ts", `execSync(\`convert \${upload.path} -resize 200x200 thumb.png\`);`),
    good: example("src/thumbnail.ts", 'execFileSync("convert", [upload.path, "-resize", "200x200", "thumb.png"]);'),
  },
  {
    id: "eval-of-input",
    title: "Text is run as code",
    severity: "major",
    confidence: 0.6,
    why: "Whoever can influence the text runs code with the program's rights, and no filter of the text is tight enough.",
    fix: "Parse the text (`JSON.parse`, `ast.literal_eval`) or look the operation up in a table of allowed ones.",
    onlyWith: /^(eval|exec|create_function|setTimeout|setInterval|new\s+Function)\b/,
    match: {
      ...script(
        calls.script("eval", withArguments(String.raw`^\(\s*[a-zA-Z_$].*\)$`)),
        node("new_expression", has("constructor", "^Function$"), text(String.raw`[\[(,]\s*[a-z_$][\w.$]*\s*\)$`)),
        calls.script("setTimeout|setInterval", withArguments("^\\(\\s*(`.*\\$\\{|[\"'][^\"']*[\"']\\s*\\+)")),
      ),
      python: [
        calls.python("eval", withArguments(String.raw`^\(\s*[a-z_][\w.]*(\[[^\]]*\]|\([^)]*\))*\s*\)$`)),
        calls.python("eval|exec", withArguments(String.raw`(\brequest\.|\binput\(|sys\.argv|os\.environ)`)),
      ],
      ruby: calls.ruby(
        "eval",
        not(has("receiver", ".")),
        withArguments(String.raw`^\(?\s*(params|request|cookies|[a-z_]+\))`),
      ),
      php: calls.php("eval|create_function", withArguments(String.raw`^\(.*\$`)),
    },
    bad: example("src/calculator.ts", "const result = eval(formula);"),
    good: example("src/calculator.ts", "const result = JSON.parse(formula);"),
  },
  {
    id: "unsafe-yaml-load",
    title: "YAML is loaded with arbitrary object types",
    severity: "major",
    confidence: 0.85,
    why: "A tag in the document (`!!python/object/apply:os.system`, `!ruby/object`) makes the loader build any object, which runs code.",
    fix: "Use the safe loader: `yaml.safe_load`, `YAML.safe_load`, `new Yaml(new SafeConstructor(…))`.",
    onlyWith: /yaml|psych/i,
    match: {
      python: [
        calls.python(
          String.raw`yaml\.(load|load_all)`,
          not(
            withArguments(
              String.raw`(SafeLoader|FullLoader|BaseLoader|Loader\s*=\s*[a-z_]|\*\*|\w*Safe\w*|,\s*\w*Loader\s*\)|Loader\s*=\s*\w*[A-Z]\w+Loader)`,
            ),
          ),
        ),
        calls.python(
          String.raw`yaml\.(load|load_all)`,
          withArguments(String.raw`Loader\s*=\s*(yaml\.)?(Unsafe|C)?Loader\b`),
        ),
        calls.python(String.raw`yaml\.unsafe_load(_all)?`),
      ],
      ruby: calls.ruby("unsafe_load|unsafe_load_file", text(String.raw`^(YAML|Psych)\.`)),
      java: node(
        "object_creation_expression",
        text(String.raw`^new Yaml\(\s*new Constructor\(\s*(Object\.class)?\s*\)`),
      ),
    },
    fixes: [
      {
        from: /^yaml\.(?:unsafe_|full_)?load\(([\s\S]*?)(?:,\s*Loader\s*=\s*[\w.]+)?\)$/,
        to: "yaml.safe_load($1)",
      },
      { from: /^YAML\.(?:unsafe_load|load)\(/, to: "YAML.safe_load(" },
    ],
    bad: example("app/settings.py", "settings = yaml.load(stream)"),
    good: example("app/settings.py", "settings = yaml.safe_load(stream)"),
  },
  {
    id: "unsafe-deserialization",
    title: "Objects are deserialized from data that came from outside",
    severity: "major",
    confidence: 0.7,
    why: "These formats name the classes to build, so a crafted message runs code while it is being read.",
    fix: "Exchange plain data (JSON, Protocol Buffers) and check it against a schema; if the format must stay, verify a signature before reading.",
    onlyWith: /pickle|dill|marshal|torch\.load|ObjectInputStream|unserialize/i,
    match: {
      python: [
        calls.python(
          String.raw`(pickle|cPickle|dill|cloudpickle|jsonpickle|marshal)\.(loads?|decode)`,
          withArguments(`(${REQUEST.python}|${OUTSIDE})`),
        ),
        calls.python(
          String.raw`torch\.load`,
          withArguments(String.raw`weights_only\s*=\s*False`),
          withArguments("(?i)(url|download|request|upload)"),
        ),
      ],
      java: node(
        "object_creation_expression",
        has("type", "^ObjectInputStream$"),
        text(`(getInputStream\\(\\)|Base64|${REQUEST.java}|[sS]ocket|[rR]equest)`),
      ),
      ruby: calls.ruby("load", withArguments(`(${REQUEST.ruby}|Base64|redis|cookies)`), text("^Marshal\\.")),
      php: calls.php(
        "unserialize",
        withArguments(`(${REQUEST.php}|base64_decode|php://input)`),
        not(withArguments("allowed_classes")),
      ),
      ...calls.inScript(String.raw`(serialize|nodeSerialize|serializer)\.unserialize`),
    },
    bad: example("app/session.py", 'session = pickle.loads(base64.b64decode(request.cookies["session"]))'),
    good: example("app/cache.py", 'with open(CACHE, "rb") as file:', "    cache = pickle.load(file)"),
  },
]);
