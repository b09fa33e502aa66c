// Others' text that becomes a program: SQL, a shell command, code, objects, documents.
import { rulesOf, type StructuralRule } from "../rule.ts";
import {
  both,
  calls,
  has,
  like,
  node,
  not,
  PYTHON_BUILT,
  REQUEST,
  script,
  text,
  unless,
  withArguments,
} from "./shapes.ts";

/** How a statement of SQL begins, or a later clause in capitals, up to where values stand. */
const SQL = String.raw`(?:\s|\\n|\()*(?:(?:with\b.*|explain\s+)?(?:select\b.*\bfrom|(?:insert|replace|merge)\s+(?:ignore\s+)?into|update\b.*\bset|delete\s+from|from\s+\w+.*\bwhere)\b|(?-i:WHERE|AND|OR|HAVING|ORDER\s+BY|GROUP\s+BY)\b).*`;

/** The place of a value: after a comparison or a word of SQL. Names of tables are none. */
const VALUE = String.raw`(?:[=<>]|\b(?:i?like|rlike|regexp|between|similar\s+to|limit|offset|order\s+by|group\s+by)\b|\b(?:in|any)\s*\(|\bvalues\s*\([^)]*)\s*(?:(?:lower|upper)\()?\\?['"(]*%*`;
/** The same at the end of the statement's beginning: a clause in capitals may be all there is. */
const SQL_VALUE = String.raw`(?:${SQL}${VALUE}|(?:\s|\\n)*(?-i:ORDER\s+BY|GROUP\s+BY)\s*)`;

/** Words that say that the value was made harmless, or that only parameter marks are put in. */
const HARMLESS = String.raw`(?i)((escape|quote|sanitize)\w*!?\(|\bquoted|escaped|placeholder|\bmarks\b|["'\x60](?:\?|%s["'\x60]\])|parseint|number\(|intval|\bint\(|\(int\)|\.to_i\b)`;

/** A joined string of SQL: `"… WHERE a = '" + name`. */
function joined(kind: string, operator: string, name: string) {
  return like(
    kind,
  )`(?i)^[rb]*["'\x60]+${SQL_VALUE}["'\x60]+(?:\.to_(?:string|owned)\(\))?\s*${operator}\s*(?-i:${name})`;
}

/** Methods that take a part of a statement as text. */
const PARTS = {
  script: String.raw`.*\.(?:where|andWhere|orWhere|having|orderBy|literal|(?:where|orWhere|having|orderBy|groupBy|select|join)Raw|raw|\$(?:query|execute)RawUnsafe)`,
  python: String.raw`(?:.*\.)?(?:extra|raw|text|RawSQL|literal_column)`,
  ruby: String.raw`where|rewhere|not|having|order|reorder|group|find_by_sql|find_by|exists\?|delete_all|update_all|joins|pluck|from|sql|execute|exec_query|select_all`,
  go: String.raw`.*\.(?:Where|Or|Not|Having|Order|Group|Raw|Joins)`,
  php: "(?:where|orWhere|having|orderBy|groupBy|select)Raw|raw",
};
const PART = String.raw`\(?\s*(?:\w+\s*=\s*\[?\s*)?`;

const QUOTED = String.raw`(?i)(shell_?escape|shellquote|shell_?quote|shlex|escapeshell|quote\()`;

/** Words of values that came from outside the process. */
const OUTSIDE = String.raw`(?i:\b(base64|b64decode|cookie|recv|payload|untrusted|request_body|message\.body|redis\w*\.get|socket)\b)`;

export const INJECTION = rulesOf<StructuralRule>("security", [
  {
    id: "sql-from-strings",
    title: "SQL statement is built from strings",
    confidence: 0.85,
    why: "A value pasted into SQL can end its literal and add statements of its own (SQL injection); an apostrophe already breaks the query.",
    fix: "Pass values as parameters (`?`, `$1`, `:name`) and let the driver quote them.",
    onlyWith:
      /\bselect\s|\b(?:insert|replace|merge)\s+(?:ignore\s+)?into\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b|\bfrom\s+\w+|\b(?:WHERE|AND|OR|HAVING|ORDER|GROUP)\b|where|order|having|group|raw|literal|text\(|extra|not\b|find_by|exists|_all|joins|pluck|execute|sql/i,
    match: unless(HARMLESS, {
      ...script(
        node(
          "template_string",
          text(`(?i)^\`${SQL_VALUE}\\$\\{\\s*(?-i:[a-z])`),
          // A tag (sql`…`) receives the values apart from the text.
          not({ inside: { kind: "call_expression" } }),
        ),
        joined("binary_expression", "\\+", "[a-z]"),
        both(
          calls.script`["'\x60](?s:.*)\.concat|(util\.)?format`,
          text(`(?i)^(?:(?:util\\.)?format\\(\\s*)?["'\`]${SQL_VALUE}(?:["'\`]\\.concat\\(\\s*[a-z]|%s)`),
        ),
        calls.script`${PARTS.script} with ^${PART}(?:\x60[^\x60]*(?i:${VALUE})\$\{\s*[a-z]|["'][^"\x60]*(?i:${VALUE})["']\s*\+\s*[a-z])`,
      ),
      python: [
        node(["string", "concatenated_string"], text(`(?i)^[rbuf]*["']+${SQL_VALUE}\\{\\s*(?-i:[a-z])`), {
          any: [text(`^[rb]*[fF]`), text(`\\s[rb]*[fF]["']`)],
        }),
        like(
          "binary_operator",
        )`(?i)^\(?\s*[rb]*["']+${SQL_VALUE}%(?:\(\w+\))?s.*["']\s*\)?\s*%\s*(?:[{(a-z]|["'][^"']*["']\.join)`,
        calls.python`(?is)\(?\s*[rb]*["']+${SQL_VALUE}\{.*["']\s*\)?\s*\.format(?:_map)?`,
        joined("binary_operator", "\\+", "[a-z]"),
        calls.python`${PARTS.python} with ^${PART}(?:[rb]*[fF]["']+.*(?i:${VALUE})\{\s*[a-z]|["'].*(?i:${VALUE})(?:%s.*["']\s*%|["']\s*\+)\s*[(a-z])`,
      ],
      go: [
        calls.go`fmt\.S?[pP]rintf|fmt\.Fprintf with (?i)^\((?:\s*[&\w.]+,)?\s*["\x60]${SQL_VALUE}%[svq]`,
        joined("binary_expression", "\\+", "[a-z]"),
        calls.go`${PARTS.go} with ^\(\s*(?:fmt\.Sprintf\(\s*"[^"]*(?i:${VALUE})%[svq]|"[^"]*(?i:${VALUE})"\s*\+\s*[a-z])`,
      ],
      java: [
        like(
          "method_invocation",
        )`(?i)^(?:String\.format\(\s*"+${SQL_VALUE}%s|"+${SQL_VALUE}%s.*\.formatted\(|MessageFormat\.format\(\s*"${SQL_VALUE}\{\d|.*"${SQL_VALUE}"\)\s*\.append\(\s*[a-z])`,
        joined("binary_expression", "\\+", "[a-z]"),
      ],
      ruby: [
        like(["string", "heredoc_body"])`(?i)^(?:"|%[qQ]?[(\[{|]|\s)${SQL_VALUE}#\{\s*(?-i:[a-z@])`,
        like("binary")`(?i)^["']${SQL_VALUE}(?:["']\s*\+|%s.*["']\s*%)\s*(?-i:[\[({a-z@])`,
        calls.ruby`format|sprintf with (?i)^\(?\s*["']${SQL_VALUE}%s`,
        calls.ruby`${PARTS.ruby} with ^\(?\s*(?:(?:Arel\.sql\()?\s*(?:"[^"]*(?i:${VALUE})#\{\s*[a-z@]|["'][^"]*(?i:${VALUE})["']\s*\+\s*[a-z@]|"[^"]*%s[^"]*"\s*%))`,
        calls.ruby`order|reorder|group|having|pluck|joins|from|sql|find_by_sql|execute with ^\(?\s*(?:Arel\.sql\()?\s*(?:"\s*#\{\s*)?(?:${REQUEST.ruby})`,
      ],
      rust: [
        like("macro_invocation")`(?i)^(?:format|write)!\(\s*(?:&?mut\s+)?(?:\w+,\s*)?r?#*"${SQL_VALUE}\{[^}]*\}`,
        joined("binary_expression", "\\+", "&?[a-z]"),
      ],
      php: [
        like(["encapsed_string", "heredoc"])`(?i)^(?:"|<<<"?\w+"?)${SQL_VALUE}(?:\{?\$|\$\{)`,
        joined("binary_expression", "\\.", "\\(?\\$"),
        calls.php`sprintf|vsprintf with (?i)^\(\s*["']${SQL_VALUE}%s`,
        calls.phpMethod`${PARTS.php} with ^\(\s*(?:"[^"]*(?i:${VALUE})\{?\$|["'][^"]*(?i:${VALUE})["']\s*\.\s*\$)`,
      ],
    }),
  },
  {
    id: "shell-from-strings",
    title: "Shell command is built from strings",
    confidence: 0.75,
    why: "The shell reads spaces, quotes, `;` and `$( )` in a pasted value as syntax, so a file name or branch name can run commands.",
    fix: "Start the program directly with a list of arguments (no shell), or quote each value with the language's own function.",
    onlyWith:
      /exec\w{0,40}\(|spawn|exec\.Command|Command::new|subprocess|shell|\bsystem[ (]|popen|getoutput|passthru|capture[23]|#\{|^`/,
    match: unless(QUOTED, {
      ...script(
        calls.script`exec|execSync|execAsync|execPromise|(child_process|childProcess|cp|shelljs|shell)\.(exec|execSync)|promisify\(\w*\.?exec\) with ^\(\s*(\x60.*\$\{\s*[a-z]|["'][^"']*["']\s*(\+|\.concat\()\s*[a-z]|(util\.)?format\(|\w+\s*\+\s*["'\x60])`,
        calls.script`(\w+\.)?(spawn|spawnSync|execFile|execFileSync) with ^\(\s*(["'\x60](/bin/)?(ba|z)?sh["'\x60],\s*\[\s*["'\x60]-l?c["'\x60],\s*(\x60.*\$\{\s*[a-z]|["'].*["']\s*\+\s*[a-z])|(\x60[^\x60]*\$\{\s*[a-z]|["'][^"']*["']\s*\+\s*[a-z]).*shell:\s*true)`,
      ),
      python: [
        both(
          calls.python`(subprocess\.|sp\.)?(run|call|check_call|check_output|Popen) with shell\s*=\s*(True|1)`,
          withArguments(String.raw`^\(\s*(${PYTHON_BUILT}|["'] ["']\.join\()|\bargs=${PYTHON_BUILT}`),
        ),
        calls.python`(os\.)?(system|popen)|(subprocess|commands)\.get(status)?output|(asyncio\.)?create_subprocess_shell with ^\(\s*(${PYTHON_BUILT}|["'] ["']\.join\()`,
      ],
      go: calls.go`exec\.Command(Context)? with "(/bin/)?(ba|z)?sh",\s*"-l?c",\s*(fmt\.Sprintf\(|["\x60].*["\x60]\s*\+\s*[a-z]|strings\.Join\()`,
      java: both(
        calls.java`exec`,
        text(String.raw`(?:getRuntime\(\)|\brt|\bruntime)\s*\.exec\(`),
        withArguments(String.raw`("[^"]*"\s*\+\s*[a-z]|String\.format\(|\.formatted\()`),
      ),
      ruby: [
        calls.ruby`system|exec|spawn|popen|capture2|capture2e|capture3 with ^\(?\s*("[^"]*#\{\s*[a-z@][^"]*"\s*(\)?$|,\s*(out|err|in|chdir|exception):)|["'][^"']*["']\s*[+%]\s*[a-z@\[(])`,
        like("subshell")`#\{[a-z@]`,
      ],
      php: [
        calls.php`exec|shell_exec|system|passthru|popen|proc_open with ^\(\s*(".*\$|["'].*["']\s*\.\s*\$|sprintf\(.*\$|implode\(|${REQUEST.php})`,
        like("shell_command_expression")`\$`,
      ],
      rust: like(
        "call_expression",
      )`Command::new\("(/bin/)?(ba|z)?sh"\)\s*\.arg\("-l?c"\)\s*\.arg\(\s*&?format!\([^()]*\)\s*\)$`,
    }),
  },
  {
    id: "eval-of-input",
    title: "Text is run as code",
    confidence: 0.6,
    why: "Whoever can influence the text runs code with the program's rights, and no filter of the text is tight enough.",
    fix: "Parse the text (`JSON.parse`, `ast.literal_eval`) or look the operation up in a table of allowed ones.",
    onlyWith: /\b(eval|exec|compile|create_function|assert|setTimeout|setInterval|Function|runIn\w+|\w+_eval)\b/,
    match: {
      ...script(
        calls.script`(window\.|globalThis\.|vm\.)?(eval|runIn(New|This)?Context) with ^\(\s*([a-zA-Z_$]|\x60.*\$\{|["'][^"']*["']\s*\+)`,
        node(
          "new_expression",
          has("constructor", "^Function$"),
          text("([\\[(,]\\s*[a-z_$][\\w.$]*|`.*\\$\\{.*`|[\"'][^\"']*[\"']\\s*\\+\\s*[a-z].*)\\s*\\)$"),
        ),
        calls.script`setTimeout|setInterval with ^\(\s*(\x60.*\$\{|["'][^"']*["']\s*\+)`,
      ),
      python: [
        calls.python`eval with ^\(\s*[a-z_][\w.]*(\[[^\]]*\]|\([^)]*\))*\s*\)$`,
        calls.python`eval|exec|compile with (\brequest\.|\binput\(|sys\.argv|os\.environ|^\(\s*${PYTHON_BUILT})`,
      ],
      ruby: [
        both(
          calls.ruby`eval`,
          not(has("receiver", ".")),
          withArguments(
            String.raw`^\(?\s*(params|request|cookies|[a-z_]+\)|".*#\{\s*(params|request)|["'].*["']\s*\+)`,
          ),
        ),
        calls.ruby`instance_eval|class_eval|module_eval with ${REQUEST.ruby}`,
      ],
      php: [calls.php`eval|create_function with ^\(.*(\$|php://input)`, calls.php`assert with ${REQUEST.php}`],
    },
  },
  {
    id: "unsafe-yaml-load",
    title: "YAML is loaded with arbitrary object types",
    confidence: 0.85,
    why: "A tag in the document (`!!python/object/apply:os.system`, `!ruby/object`) makes the loader build any object, which runs code.",
    fix: "Use the safe loader: `yaml.safe_load`, `YAML.safe_load`, `new Yaml(new SafeConstructor(…))`.",
    onlyWith: /yaml|psych/i,
    match: {
      python: [
        both(
          calls.python`yaml\.(load|load_all)`,
          not(
            withArguments(
              String.raw`(SafeLoader|FullLoader|BaseLoader|Loader\s*=\s*[a-z_]|\*\*|\w*Safe\w*|,\s*\w*Loader\s*\)|Loader\s*=\s*\w*[A-Z]\w+Loader)`,
            ),
          ),
        ),
        calls.python`yaml\.(load|load_all) with Loader\s*=\s*(yaml\.)?(Unsafe|C)?Loader\b`,
        calls.python`yaml\.unsafe_load(_all)?`,
      ],
      ruby: both(calls.ruby`unsafe_load|unsafe_load_file`, text(String.raw`^(YAML|Psych)\.`)),
      java: like("object_creation_expression")`^new Yaml\(\s*new Constructor\(\s*(Object\.class)?\s*\)`,
    },
    fixes: [
      {
        from: /^yaml\.(?:unsafe_|full_)?load\(([\s\S]*?)(?:,\s*Loader\s*=\s*[\w.]+)?\)$/,
        to: "yaml.safe_load($1)",
      },
      { from: /^YAML\.(?:unsafe_load|load)\(/, to: "YAML.safe_load(" },
    ],
  },
  {
    id: "unsafe-deserialization",
    title: "Objects are deserialized from data that came from outside",
    confidence: 0.7,
    why: "These formats name the classes to build, so a crafted message runs code while it is being read.",
    fix: "Exchange plain data (JSON, Protocol Buffers) and check it against a schema; if the format must stay, verify a signature before reading.",
    onlyWith: /pickle|dill|marshal|torch\.load|ObjectInputStream|unserialize/i,
    match: {
      python: [
        calls.python`(pickle|cPickle|dill|cloudpickle|jsonpickle|marshal)\.(loads?|decode) with (${REQUEST.python}|${OUTSIDE})`,
        both(
          calls.python`torch\.load with weights_only\s*=\s*False`,
          withArguments("(?i)(url|download|request|upload)"),
        ),
      ],
      java: node(
        "object_creation_expression",
        has("type", "^ObjectInputStream$"),
        text(`(getInputStream\\(\\)|Base64|${REQUEST.java}|[sS]ocket|[rR]equest)`),
      ),
      ruby: both(calls.ruby`load with (${REQUEST.ruby}|Base64|redis|cookies)`, text("^Marshal\\.")),
      php: both(
        calls.php`unserialize with (${REQUEST.php}|base64_decode|php://input)`,
        not(withArguments("allowed_classes")),
      ),
      ...script(calls.script`(serialize|nodeSerialize|serializer)\.unserialize`),
    },
  },
]);
