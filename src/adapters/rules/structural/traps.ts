// Traps of a language or its library: Python, Go, lists and paths, numbers and threads.
import { rulesOf, type StructuralRule } from "../rule.ts";
import { calls, example, has, kinds, node, not, text, withArguments } from "./shapes.ts";

/** Of a statement: the loop or function is left further down in its block. */
const BEFORE_LEAVING = { precedes: { ...kinds("break_statement", "return_statement"), stopBy: "end" } };

export const TRAPS = rulesOf<StructuralRule>("correctness", [
  {
    id: "mutable-default",
    title: "Default value is shared between calls and changed here",
    severity: "major",
    confidence: 0.85,
    why: "The default is made once, so what one call puts into it is there for the next.",
    fix: "Use `None` as the default and make the list or dict inside the function.",
    inTests: true,
    match: {
      python: node(
        ["default_parameter", "typed_default_parameter"],
        has("value", String.raw`^(\[.*\]|\{.*\}|(list|dict|set|defaultdict|deque)\(.*\))$`),
        { has: { field: "name", pattern: "$NAME", not: { regex: "(?i)(cache|memo|^_)" } } },
        {
          inside: {
            kind: "function_definition",
            stopBy: "end",
            has: {
              field: "body",
              has: {
                any: [
                  ...["append", "extend", "insert", "update", "add", "setdefault", "pop", "remove", "clear"].map(
                    (method) => ({ pattern: `$NAME.${method}($$$)` }),
                  ),
                  { kind: "assignment", has: { field: "left", pattern: "$NAME[$$$]" } },
                  { pattern: "$NAME[$K] = $V" },
                ],
                stopBy: "end",
              },
            },
          },
        },
      ),
    },
    bad: example("app/cart.py", "def add(item, items=[]):", "    items.append(item)", "    return items"),
    good: example(
      "app/cart.py",
      "def add(item, items=None):",
      "    items = [] if items is None else items",
      "    items.append(item)",
    ),
  },
  {
    id: "raise-not-implemented",
    title: "`NotImplemented` is not an exception",
    severity: "medium",
    confidence: 0.95,
    why: "Raising it ends in `TypeError: exceptions must derive from BaseException`.",
    fix: "Raise `NotImplementedError`.",
    inTests: true,
    onlyWith: /NotImplemented/,
    match: { python: { kind: "raise_statement", regex: String.raw`^raise\s+NotImplemented(\(.*\))?$` } },
    fixes: [{ from: /\bNotImplemented\b/, to: "NotImplementedError" }],
    bad: example("app/store.py", "def save(self):", "    raise NotImplemented"),
    good: example("app/store.py", "def save(self):", "    raise NotImplementedError"),
  },
  {
    id: "missing-timeout",
    title: "Request has no timeout",
    severity: "medium",
    category: "reliability",
    confidence: 0.75,
    why: "`requests` waits for ever by default; one silent server then holds the worker until it is restarted.",
    fix: "Give it one: `timeout=10`.",
    onlyWith: /requests\./,
    match: {
      python: calls.python(
        String.raw`requests\.(get|post|put|patch|delete|head|request)`,
        not(withArguments(String.raw`(\btimeout\s*=|\*\*)`)),
      ),
    },
    fixes: [{ from: /,?\s{0,100}\)$/, to: ", timeout=10)", languages: ["python"] }],
    bad: example("app/rates.py", "reply = requests.get(URL)"),
    good: example("app/rates.py", "reply = requests.get(URL, timeout=10)"),
  },
  {
    id: "discarded-error",
    title: "Error of a call that can fail is discarded",
    severity: "medium",
    category: "reliability",
    confidence: 0.7,
    why: "When the call fails the program goes on with an empty value, and the cause is lost.",
    fix: "Check the error and return it.",
    onlyWith: /_\s*:?=/,
    match: {
      go: node(
        ["short_var_declaration", "assignment_statement"],
        has("left", String.raw`(^|,\s*)_$`),
        has(
          "right",
          String.raw`^(json\.(Unmarshal|NewDecoder\([^()]*\)\.Decode)|yaml\.Unmarshal|xml\.Unmarshal|proto\.Unmarshal|io\.ReadAll|ioutil\.ReadAll|os\.(Open|Create|ReadFile|WriteFile|OpenFile)|http\.NewRequest(WithContext)?|rand\.Read|net\.Dial|sql\.Open)\(`,
        ),
      ),
    },
    bad: example("load.go", "_ = json.Unmarshal(body, &order)"),
    good: example("load.go", "if err := json.Unmarshal(body, &order); err != nil {", "\treturn err", "}"),
  },
  {
    id: "response-without-return",
    title: "Handler goes on after it has answered with an error",
    severity: "major",
    confidence: 0.8,
    why: "What follows runs although the check failed, and writes a second answer.",
    fix: "Put `return` after the answer.",
    onlyWith: /http\.Error/,
    wholeFile: true,
    match: {
      go: node(
        "if_statement",
        not(has("alternative", ".")),
        {
          has: {
            field: "consequence",
            has: {
              kind: "statement_list",
              has: {
                nthChild: { position: 1, reverse: true },
                kind: "expression_statement",
                regex: String.raw`(?s)^http\.Error\(`,
              },
            },
          },
        },
        { precedes: { regex: String.raw`(?s)^[^\s}]`, not: { kind: "comment" } } },
        {
          any: [
            {
              inside: {
                kind: "statement_list",
                inside: { kind: "block", inside: kinds("function_declaration", "method_declaration", "func_literal") },
              },
            },
            { inside: { kind: "source_file" } },
          ],
        },
      ),
    },
    bad: example(
      "orders.go",
      "func orders(w http.ResponseWriter, r *http.Request) {",
      "\tif !allowed(r) {",
      '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
      "\t}",
      "\tlist(w)",
      "}",
    ),
    good: example(
      "orders.go",
      "func orders(w http.ResponseWriter, r *http.Request) {",
      "\tif !allowed(r) {",
      '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
      "\t\treturn",
      "\t}",
      "\tlist(w)",
      "}",
    ),
  },
  {
    id: "defer-in-loop",
    title: "`defer` in a loop runs only when the function ends",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "Files, rows and locks of every round stay open until then, and a long loop runs out of them.",
    fix: "Close at the end of the round, or move its body into a function.",
    onlyWith: /defer/,
    match: {
      go: node("defer_statement", text(String.raw`\.(Close|Unlock|RUnlock|Release|Rollback|Stop)\(\)$`), {
        inside: { kind: "for_statement", stopBy: kinds("func_literal", "function_declaration", "method_declaration") },
      }),
    },
    bad: example(
      "read.go",
      "for _, name := range names {",
      "\tf, err := os.Open(name)",
      "\tif err != nil {",
      "\t\treturn err",
      "\t}",
      "\tdefer f.Close()",
      "}",
    ),
    good: example(
      "read.go",
      "for _, name := range names {",
      "\tfunc() {",
      "\t\tf := open(name)",
      "\t\tdefer f.Close()",
      "\t}()",
      "}",
    ),
  },
  {
    id: "numeric-sort",
    title: "Numbers are sorted as text",
    severity: "major",
    confidence: 0.85,
    why: "`sort()` without a comparator compares strings: 10 comes before 9.",
    fix: "Give it a comparator: `.sort((a, b) => a - b)`.",
    inTests: true,
    onlyWith: /sort(ed)?\(\s*\)/i,
    match: calls.inScript(
      String.raw`(?s).*\.(sort|toSorted)`,
      has("arguments", String.raw`^\(\s*\)$`),
      text(
        String.raw`(\.map\(\s*(Number|parseInt|parseFloat|(\(\s*)?\w+(\s*\))?\s*=>\s*(Number\(|parseInt\(|parseFloat\(|\+\w|[\w.]+\.(length|count|price|timestamp)\b))[^;]{0,40}\)|^\[\s*\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)+\s*,?\s*\])\.(sort|toSorted)\(\)$`,
      ),
    ),
    fixes: [{ from: /\.sort\(\)$/, to: ".sort((a, b) => a - b)" }],
    bad: example("src/median.ts", "const sorted = values.map(Number).sort();"),
    good: example("src/median.ts", "const sorted = values.map(Number).sort((a, b) => a - b);"),
  },
  {
    id: "modified-while-iterating",
    title: "Collection is changed while it is iterated",
    severity: "major",
    confidence: 0.8,
    why: "The loop then skips elements, or fails (`ConcurrentModificationException`, `dictionary changed size during iteration`).",
    fix: "Iterate over a copy, collect the changes first, or use `removeIf` or a comprehension.",
    inTests: true,
    onlyWith: /\.remove|\.add|\bdel\b/,
    onlyIn: /\bfor\b/,
    match: {
      python: {
        all: [
          {
            any: [
              calls.python(".*", { has: { field: "function", pattern: "$LIST.remove" } }),
              { pattern: "del $LIST[$I]" },
            ],
          },
          {
            inside: {
              kind: "for_statement",
              // Not its `else`, which runs after the loop.
              field: "body",
              has: { field: "right", pattern: "$LIST" },
              stopBy: { kind: "function_definition" },
            },
          },
          // Leaving the loop right after the change is safe.
          not({ inside: { kind: "expression_statement", ...BEFORE_LEAVING } }),
          not(BEFORE_LEAVING),
        ],
      },
      java: {
        all: [
          { any: [{ pattern: "$LIST.remove($X)" }, { pattern: "$LIST.add($X)" }] },
          {
            inside: {
              kind: "enhanced_for_statement",
              has: { field: "value", pattern: "$LIST" },
              stopBy: kinds("method_declaration", "lambda_expression"),
            },
          },
          not({ inside: { kind: "expression_statement", ...BEFORE_LEAVING } }),
        ],
      },
    },
    bad: example("app/cart.py", "for item in items:", "    if item.gone:", "        items.remove(item)"),
    good: example("app/cart.py", "for item in list(items):", "    if item.gone:", "        items.remove(item)"),
  },
  {
    id: "absolute-part-in-join",
    title: "Absolute part discards the path before it",
    severity: "medium",
    confidence: 0.85,
    why: "Joining with a part that begins with `/` starts again at the root: the folder before it is ignored.",
    fix: "Take the leading slash away.",
    inTests: true,
    onlyWith: /path\.join|path\.resolve/,
    match: {
      python: calls.python(
        String.raw`os\.path\.join`,
        withArguments(String.raw`^\(\s*[^,"']+,\s*(["'][^"']*["'],\s*)?[rf]?["']/`),
      ),
      ...calls.inScript(
        String.raw`path\.resolve`,
        withArguments(
          String.raw`^\(\s*(__dirname|import\.meta\.dirname|process\.cwd\(\)|\w*([rR]oot|[dD]ir|ROOT|DIR)\w*),\s*["']/\w`,
        ),
      ),
    },
    fixes: [{ from: /((?:,|\()\s*["'])\/+(?=\w)/, to: "$1" }],
    bad: example("app/files.py", 'path = os.path.join(folder, "/report.csv")'),
    good: example("app/files.py", 'path = os.path.join(folder, "report.csv")'),
  },
  {
    id: "decimal-from-float",
    title: "Decimal is made from a binary fraction",
    severity: "medium",
    confidence: 0.9,
    why: "0.1 has no exact binary form: the decimal becomes 0.1000000000000000055 and so on.",
    fix: 'Make it from text (`new BigDecimal("0.1")`, `Decimal("0.1")`) or with `BigDecimal.valueOf`.',
    onlyWith: /Decimal/,
    match: {
      java: node(
        "object_creation_expression",
        has("type", "^BigDecimal$"),
        withArguments(String.raw`^\(\s*\d*\.\d*[1-9]\d*[dDfF]?\s*\)$`),
        not(withArguments(String.raw`^\(\s*\d*\.(5|25|75|125|375|625|875)\s*\)$`)),
      ),
      python: calls.python(
        String.raw`(decimal\.)?Decimal`,
        withArguments(String.raw`^\(\s*-?\d*\.\d*[1-9]\d*\s*\)$`),
        not(withArguments(String.raw`^\(\s*-?\d*\.(5|25|75|125|375|625|875)\s*\)$`)),
      ),
    },
    fixes: [{ from: /\(\s*(-?\d+\.\d+)\s*\)/, to: '("$1")' }],
    bad: example("Price.java", "class Price { BigDecimal rate = new BigDecimal(0.19); }"),
    good: example("Price.java", 'class Price { BigDecimal rate = new BigDecimal("0.19"); }'),
  },
  {
    id: "thread-run",
    title: "`run` executes in this thread; `start` begins a new one",
    severity: "major",
    confidence: 0.95,
    why: "The caller waits until the work is done, and no thread is started.",
    fix: "Call `start()`.",
    inTests: true,
    onlyWith: /Thread/,
    match: {
      java: calls.java("run", withArguments(String.raw`^\(\s*\)$`), has("object", String.raw`(?s)^\(?new Thread\(`)),
      python: calls.python(String.raw`(?s)(threading\.)?Thread\(.*\)\.run`),
    },
    fixes: [{ from: /\.run\(\)/, to: ".start()" }],
    bad: example("Work.java", "class Work { void go() { new Thread(job).run(); } }"),
    good: example("Work.java", "class Work { void go() { new Thread(job).start(); } }"),
  },
  {
    id: "shared-date-format",
    title: "`SimpleDateFormat` is shared between threads",
    severity: "medium",
    confidence: 0.9,
    why: "It keeps its state in fields: two threads that use it at once get each other's dates.",
    fix: "Use `DateTimeFormatter`, which does not change.",
    onlyWith: /DateFormat/,
    match: {
      java: node("field_declaration", text(String.raw`\bstatic\b`), has("type", "^(SimpleDateFormat|DateFormat)$")),
    },
    bad: example(
      "Dates.java",
      'class Dates { private static final SimpleDateFormat DAY = new SimpleDateFormat("yyyy-MM-dd"); }',
    ),
    good: example(
      "Dates.java",
      'class Dates { static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd"); }',
    ),
  },
  {
    id: "interrupt-swallowed",
    title: "Interrupt is swallowed",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "Catching `InterruptedException` clears the flag; the thread pool then cannot stop this thread.",
    fix: "Call `Thread.currentThread().interrupt()` in the handler, or let the exception through.",
    onlyWith: /InterruptedException/,
    match: {
      java: node(
        "catch_clause",
        { has: { kind: "catch_formal_parameter", regex: String.raw`^(final\s+)?InterruptedException\s+\w+$` } },
        has("body", String.raw`(?s)^\{\s*(//[^\n]*\s*|\w*\.?printStackTrace\(\);\s*)?\}$`),
        not(text(String.raw`\b(ignored?|expected)\b`)),
      ),
    },
    bad: example(
      "Poll.java",
      "class Poll { void run() { try { Thread.sleep(5); } catch (InterruptedException e) { } } }",
    ),
    good: example(
      "Poll.java",
      "class Poll { void run() { try { Thread.sleep(5); } catch (InterruptedException e) { Thread.currentThread().interrupt(); } } }",
    ),
  },
]);
