// Paths that a client chooses, rights of files, and what a browser is told.
import { rulesOf, type Shape, type StructuralRule } from "../rule.ts";
import {
  both,
  calls,
  has,
  inside,
  like,
  node,
  not,
  PYTHON_BUILT,
  REQUEST,
  REQUEST_WORDS,
  script,
  text,
  unless,
  withArguments,
} from "./shapes.ts";

const BASENAME = String.raw`(?i)(basename|secure_filename|sanitize|\.Base\(|SecureJoin|safe_join|getName\(|allowlist|whitelist|(Join|Clean)\(\s*"/")`;

/** Text that cannot bring markup of its own. JSON escapes no `<`. */
const CLEAN = String.raw`(?i)(sanitize|purify|escape|encode|htmlspecialchars|htmlentities|\bh\(|strip_tags|intval|\(int\)|nonce|parseInt|Number\(|toFixed|\.length\b|/</g)`;
const CLEANED = not(text(CLEAN));

/** Markup in a script that is put together with some value that is not clean. */
const MARKUP: Shape = {
  any: [
    node("template_string", text("<"), {
      has: { kind: "template_substitution", all: [text(String.raw`^\$\{\s*([a-z]|JSON\b)`), CLEANED] },
    }),
    node("binary_expression", text(String.raw`["'\x60]\s*<.*\+\s*([a-z]|JSON\b)`), CLEANED),
  ],
};
const FROM_PAGE = `^(JSON\\.stringify\\(|${REQUEST.script}|(window\\.)?location\\.(hash|search|href)|document\\.(URL|referrer))`;
const CLEAN_VALUE = String.raw`^[\w.]*(?i:sanitize|purify|escape)\w*\(|/</g`;
const FOREIGN: Shape = { any: [MARKUP, both({ regex: FROM_PAGE }, CLEANED)] };

const FUNCTIONS = {
  script: ["function_declaration", "function_expression", "arrow_function", "method_definition"],
  python: ["function_definition"],
  go: ["function_declaration", "method_declaration", "func_literal"],
  ruby: ["method", "singleton_method"],
};

export const WEB = rulesOf<StructuralRule>("security", [
  {
    id: "path-traversal",
    title: "Path comes straight from the request",
    confidence: 0.8,
    why: "A name such as `../../etc/passwd` or an absolute path leaves the folder that was meant.",
    fix: "Take the last part only (`basename`), or resolve the path and check that it still lies inside the folder before opening it.",
    onlyWith: REQUEST_WORDS,
    match: unless(BASENAME, {
      ...script(
        calls.script`((path|posix|win32)\.)?(join|resolve)|((fs|fsp|fs\.promises|fsPromises)\.)?(readFile|readFileSync|createReadStream|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|readdirSync|open|openSync)|\w+\.(sendFile|sendfile|download)|require|import with ${REQUEST.script}`,
      ),
      python: [
        calls.python`(os\.path\.)?join|((io|os|codecs)\.)?open|(flask\.)?send_file|FileResponse|(pathlib\.)?Path|\w+\.joinpath|os\.(remove|unlink|listdir)|shutil\.\w+ with ${REQUEST.python}`,
        like("binary_operator")`^[\w.]+(\([^()]*\))?\s*/\s*(str\(\s*)?(${REQUEST.python})`,
      ],
      go: calls.go`(filepath|path)\.Join|os\.(Open|OpenFile|ReadFile|Create|Remove|RemoveAll|WriteFile|ReadDir)|(ioutil|io)\.ReadFile|http\.ServeFile|\w+\.(File|SendFile|FileAttachment) with ${REQUEST.go}`,
      java: [
        calls.made`(java\.io\.)?(File|FileInputStream|FileOutputStream|FileReader|FileWriter|FileSystemResource) with ${REQUEST.java}`,
        both(calls.java`get|of|resolve with ${REQUEST.java}`, text("^(Paths|Path|\\w*[dD]ir|\\w*[rR]oot)\\.")),
      ],
      ruby: [
        both(
          calls.ruby`join|read|open|new|readlines|binread|send_file|delete|write|rm|rm_rf with ${REQUEST.ruby}`,
          text(String.raw`^((File|IO|Pathname|FileUtils|Rails\.root|Dir)\b|send_file)`),
        ),
        calls.ruby`render|render_to_string with ^\(?\s*(?:[^()]*,\s*)?(?:(?:file|template|inline|partial|action|layout):\s*|:(?:file|template|inline|partial|action|layout)\s*=>\s*)?(?:"[\w/.-]*#\{\s*|["'][\w/.-]*["']\s*\+\s*|File\.join\([^()]*,\s*)?(?:${REQUEST.ruby})`,
      ],
      php: [
        calls.php`file_get_contents|file_put_contents|readfile|fopen|unlink|file|copy|rename|rmdir|scandir|opendir|highlight_file|show_source|parse_ini_file with ${REQUEST.php}`,
        node(
          ["include_expression", "include_once_expression", "require_expression", "require_once_expression"],
          text(REQUEST.php),
        ),
      ],
    }),
  },
  {
    id: "unfiltered-extraction",
    title: "Archive is unpacked wherever its entries say",
    confidence: 0.75,
    why: "An entry named `../../etc/cron.d/x`, an absolute path or a link is written where its name leads.",
    fix: 'Give it a filter: `extractall(folder, filter="data")`.',
    onlyWith: /extract|unpack_archive/,
    match: {
      python: both(
        calls.python`(\w*tar\w*|tf|t|tgz|tarfile\.open\(.*\))\.extract(all)?|(shutil\.)?unpack_archive`,
        not(
          withArguments(String.raw`\bfilter\s*=\s*["'](data|tar)|\bfilter\s*=\s*\w|\bmembers\s*=|\.zip\b|["']zip["']`),
        ),
      ),
    },
    fixes: [{ from: /(\.extractall\([^()]{1,200})\)$/, to: '$1, filter="data")' }],
  },
  {
    id: "archive-entry-path",
    title: "Path comes straight from an archive",
    confidence: 0.75,
    why: "An entry named `../../etc/cron.d/x` is written outside the folder that was meant (zip slip).",
    fix: "Resolve the path and check that it still lies inside the folder before writing it.",
    onlyWith: /[nN]ame|\.path\b/,
    wholeFile: true,
    onlyInFile: /zip|\btar|archive|extract|unpack/i,
    notInFile:
      /starts_?with|HasPrefix|IsLocal|commonpath|commonprefix|is_relative_to|\brelative\(|basename|filepath\.Rel|enclosed_name|sanitize|safe_?join|is_?safe/i,
    match: {
      ...script(
        calls.script`((path|posix)\.)?(join|resolve) with ,\s*(\w*[eE]ntry|header|member|file)\.(name|path|fileName|entryName|filename)\b`,
      ),
      python: calls.python`os\.path\.join|\w*(dir|path|dest|root|target)\w*\.joinpath with \b(\w*(member|info|entry)|m|name|filename)(\.(name|filename))?\s*\)$`,
      go: calls.go`(filepath|path)\.Join with ,\s*(f|file|zf|entry|header|hdr|h|zipFile)\.Name\s*\)$`,
      java: [
        calls.made`(java\.io\.)?File with (?i)entry\w*\.getName\(\)`,
        calls.java`resolve|get|of with (?i)entry\w*\.getName\(\)`,
      ],
      ruby: calls.ruby`join with ,\s*\w*(entry|file|header)\.(name|full_name)\b`,
    },
  },
  {
    id: "prototype-pollution",
    title: "Key chosen by others may be `__proto__`",
    confidence: 0.6,
    why: "Where a path of keys is walked and written to, `__proto__` or `constructor` changes every object of the program.",
    fix: "Refuse these keys, or keep the values in a `Map` or in `Object.create(null)`.",
    onlyWith: /=\s*\w+\[|\b\w+\(\s*\w+\[/,
    wholeFile: true,
    onlyInFile: /\w\[[^\]\n]{1,100}\](?:\[[^\]\n]{1,100}\])?\s*=[^=]/,
    notInFile: /__proto__|hasOwn|Object\.create\(null\)|new Map\(|isUnsafe|Reflect\./,
    match: {
      ...script(
        { pattern: "$OBJECT = $OBJECT[$KEY]" },
        { pattern: "$OBJECT = $OBJECT[$KEY] = $VALUE" },
        { pattern: "$OBJECT = $OBJECT[$KEY] || $VALUE" },
        node("call_expression", has("function", "(?i)^(\\w+\\.)?\\w*(merge|extend|assign|clone|defaults)\\w*$"), {
          any: [{ pattern: "$CALL($TO[$KEY], $FROM[$KEY])" }, { pattern: "$CALL($TO[$KEY], $FROM[$KEY], $$$MORE)" }],
        }),
      ),
    },
  },
  {
    id: "rights-narrowed-late",
    title: "File is created open to others, and its rights are narrowed later",
    severity: "medium",
    confidence: 0.7,
    why: "Until then every user of the machine can open it, and keeps what was opened.",
    fix: "Give the rights when it is created: `os.open(…, mode=0o600)`, `{ mode: 0o600 }`, `os.OpenFile(…, 0600)`.",
    onlyWith: /chmod/i,
    wholeFile: true,
    match: {
      ...script(
        both(
          calls.script`(\w+\.)*chmod(Sync)? with ,\s*(0o[467]00|["'][467]00["'])`,
          inside(FUNCTIONS.script, "writeFile|createWriteStream|openSync|appendFile"),
        ),
      ),
      python: both(
        calls.python`os\.chmod|\w+\.chmod`,
        text(String.raw`\(.*(0o[467]00|S_IRUSR)[^,]*\)$`),
        not(text("S_I[RWX](GRP|OTH)")),
        inside(
          FUNCTIONS.python,
          String.raw`(^|[^.\w])open\([^()]*["'][wax]b?\+?["']|write_text\(|write_bytes\(|\.touch\(`,
        ),
      ),
      go: both(calls.go`os\.Chmod|\w+\.Chmod with 0o?[467]00\s*\)$`, inside(FUNCTIONS.go, String.raw`os\.Create\(`)),
      ruby: both(calls.ruby`chmod with 0o?[467]00`, inside(FUNCTIONS.ruby, String.raw`File\.(open|write)`)),
    },
  },
  {
    id: "unescaped-html",
    title: "Markup is built from unescaped text",
    confidence: 0.7,
    why: "A `<script>` or `onerror=` inside the text runs in the reader's browser with their session (cross-site scripting).",
    fix: "Set text (`textContent`), let the template engine escape it, or sanitize the markup first.",
    onlyWith:
      /innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|__html|document\.write|\.(html|append|prepend|before|after)\(|\b(res|resp|response|reply|ctx|out)\.|mark_safe|Markup|render_template_string|from_string|Template\(|HTMLResponse|HttpResponse|make_response|<\w|template\.|Fprint|html_safe|\braw\b|\$_/,
    match: {
      ...script(
        node(
          ["assignment_expression", "augmented_assignment_expression"],
          has("left", String.raw`\.(innerHTML|outerHTML)$`),
          { has: { field: "right", ...FOREIGN } },
          not(has("right", CLEAN_VALUE)),
        ),
        both(
          calls.script`document\.(write|writeln)|.*\.(insertAdjacentHTML|createContextualFragment)|(\$|jQuery)\(.*\)\.(html|append|prepend|before|after|replaceWith)`,
          { has: { field: "arguments", has: FOREIGN } },
        ),
        both(
          calls.script`document\.(write|writeln) with ^\(.*(\$\{|\+\s*)(window\.|document\.)?(location|referrer|URL)\b`,
          CLEANED,
        ),
        both(
          calls.script`(res|response|reply)(\.status\(\d+\))?\.(send|write|end) with ^\(\s*(?:["'\x60].*(\$\{|\+\s*)|String\(\s*)?(${REQUEST.script})`,
          CLEANED,
        ),
        node(
          "pair",
          has("key", "^__html$"),
          {
            has: {
              field: "value",
              any: [FOREIGN, both({ regex: String.raw`^[a-z]\w*(\??\.\w+)+$` }, CLEANED)],
            },
          },
          not(has("value", CLEAN_VALUE)),
        ),
      ),
      python: [
        both(
          calls.python`mark_safe|(markupsafe\.|flask\.)?Markup|(flask\.)?render_template_string|(jinja2\.)?Template|\w+(\(.*\))?\.from_string|HTMLResponse with ^\(\s*(?:${PYTHON_BUILT}|(\w+\s*=\s*)?(${REQUEST.python}))`,
          CLEANED,
        ),
        node(
          ["string", "binary_operator", "call"],
          text(
            `^[rf]*["']+[^"']*<\\w.*(?:\\{|["']\\s*[+%]\\s*\\(?|\\.format\\(\\s*(?:\\w+\\s*=\\s*)?)(${REQUEST.python})`,
          ),
          CLEANED,
        ),
      ],
      go: [
        both(
          calls.go`template\.(HTML|JS|URL|HTMLAttr) with ^\(\s*(fmt\.Sprintf\(|["\x60]<.*["\x60]\s*\+\s*[a-z]|${REQUEST.go})`,
          CLEANED,
        ),
        both(calls.go`fmt\.Fprint(f|ln)? with <\w.*(${REQUEST.go})`, CLEANED),
      ],
      ruby: [
        both(
          calls.ruby`html_safe`,
          {
            has: {
              field: "receiver",
              any: [
                { regex: REQUEST.ruby },
                like("string")`<.*#\{\s*[a-z@]`,
                like("parenthesized_statements")`^\(\s*["']\s*<.*["']\s*[+%]\s*[a-z@]`,
              ],
            },
          },
          CLEANED,
        ),
        both(calls.ruby`raw with ^\(?\s*(?:${REQUEST.ruby}|".*<.*#\{\s*[a-z@])`, CLEANED),
      ],
      php: node(
        ["echo_statement", "print_intrinsic"],
        text(REQUEST.php),
        CLEANED,
        not(text(String.raw`(json_encode|===?|isset|empty|count|\?)`)),
      ),
      java: both(
        calls.java`print|println|write with ${REQUEST.java}`,
        text(String.raw`^(out|(response|resp|res)\.getWriter\(\))\.`),
        CLEANED,
      ),
    },
  },
]);
