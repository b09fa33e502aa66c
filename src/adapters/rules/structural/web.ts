// What a client sent chooses a file, an address, a method or a field; and what a browser is told: markup, origins, error pages.
import { rulesOf, type Shape, type StructuralRule } from "../rule.ts";
import {
  calls,
  example,
  has,
  node,
  not,
  REQUEST,
  REQUEST_WORDS,
  script,
  text,
  unless,
  withArguments,
} from "./shapes.ts";

const BASENAME = String.raw`(?i)(basename|secure_filename|sanitize|\.Base\(|SecureJoin|getName\(|allowlist|whitelist)`;

const SAFE_TARGET = "(?i)(url_has_allowed_host|is_safe_url|safe_?redirect|allowed|sanitize|url_from|urlparse)";

const CLEANED = not(
  text(
    String.raw`(?i)(sanitize|purify|escape|encode|JSON\.stringify|htmlspecialchars|htmlentities|\bh\(|strip_tags|intval|\(int\)|nonce)`,
  ),
);

/** The first argument begins with what a client sent. */
function fromRequest(language: keyof typeof REQUEST): Shape {
  return withArguments(`^\\(?\\s*(${REQUEST[language]})`);
}

export const WEB = rulesOf<StructuralRule>("security", [
  {
    id: "path-traversal",
    title: "Path comes straight from the request",
    severity: "major",
    confidence: 0.8,
    why: "A name such as `../../etc/passwd` or an absolute path leaves the folder that was meant.",
    fix: "Take the last part only (`basename`), or resolve the path and check that it still lies inside the folder before opening it.",
    onlyWith: REQUEST_WORDS,
    match: unless(BASENAME, {
      ...calls.inScript(
        String.raw`path\.(join|resolve)|(fs|fsp|fs\.promises)\.(readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync)|res\.(sendFile|download)`,
        withArguments(REQUEST.script),
      ),
      python: calls.python(String.raw`os\.path\.join|open|send_file|FileResponse`, withArguments(REQUEST.python)),
      go: calls.go(
        String.raw`(filepath|path)\.Join|os\.(Open|OpenFile|ReadFile|Create|Remove|RemoveAll|WriteFile)|http\.ServeFile`,
        // http.ServeFile(w, r, …) refuses "..", but not what stands after Join.
        withArguments(REQUEST.go),
      ),
      java: [
        node(
          "object_creation_expression",
          has("type", "^(java\\.io\\.)?(File|FileInputStream|FileOutputStream|FileReader|FileWriter)$"),
          withArguments(REQUEST.java),
        ),
        calls.java("get|of|resolve", withArguments(REQUEST.java), text("^(Paths|Path|\\w*[dD]ir|\\w*[rR]oot)\\.")),
      ],
      ruby: calls.ruby(
        "join|read|open|readlines|binread|send_file|delete|write",
        withArguments(REQUEST.ruby),
        text(String.raw`^((File|IO|Pathname|FileUtils|Rails\.root|Dir)\b|send_file)`),
      ),
      php: [
        calls.php("file_get_contents|file_put_contents|readfile|fopen|unlink|file", withArguments(REQUEST.php)),
        node(
          ["include_expression", "include_once_expression", "require_expression", "require_once_expression"],
          text(REQUEST.php),
        ),
      ],
    }),
    bad: example("src/files.ts", "res.sendFile(path.join(UPLOADS, req.params.name));"),
    good: example("src/files.ts", "res.sendFile(path.join(UPLOADS, path.basename(req.params.name)));"),
  },
  {
    id: "open-redirect",
    title: "Redirect target comes straight from the request",
    severity: "medium",
    confidence: 0.8,
    why: "A link to this site can send its visitors to any other one, which makes phishing look genuine and leaks tokens in the URL.",
    fix: "Accept only paths of this site (one leading `/`, no host), or look the target up in a list.",
    onlyWith: /redirect|location:/i,
    match: unless(SAFE_TARGET, {
      ...calls.inScript(
        String.raw`(res|response|reply)\.redirect`,
        withArguments(`^\\(\\s*(\\d+,\\s*)?(${REQUEST.script})`),
      ),
      python: calls.python(
        "redirect|HttpResponseRedirect|RedirectResponse",
        withArguments(`^\\(\\s*(url=)?(${REQUEST.python})`),
      ),
      go: calls.go(
        String.raw`http\.Redirect|c\.Redirect`,
        withArguments(`^\\([^()]*,\\s*(r\\.FormValue\\(|r\\.URL\\.Query\\(\\)|c\\.Query\\(|c\\.QueryParam\\()`),
      ),
      java: calls.java("sendRedirect", fromRequest("java")),
      ruby: calls.ruby("redirect_to", fromRequest("ruby")),
      php: calls.php("header", withArguments(`^\\(\\s*["'](?i:location):\\s*(["']\\s*\\.\\s*)?\\{?(${REQUEST.php})`)),
    }),
    bad: example("src/login.ts", "res.redirect(req.query.next);"),
    good: example("src/login.ts", 'res.redirect("/account");'),
  },
  {
    id: "request-chosen-url",
    title: "Server fetches an address that the request chose",
    severity: "major",
    confidence: 0.8,
    why: "A client can make the server call addresses that only it can reach: cloud metadata, internal services, `localhost` (server-side request forgery).",
    fix: "Choose the host yourself, or check it against a list after resolving it, and refuse redirects to other hosts.",
    onlyWith: REQUEST_WORDS,
    match: {
      ...calls.inScript(
        String.raw`fetch|got|axios(\.(get|post|put|request))?|https?\.(get|request)`,
        fromRequest("script"),
      ),
      python: calls.python(
        String.raw`(requests|httpx)\.(get|post|put|head|request)|urlopen|urllib\.request\.urlopen`,
        fromRequest("python"),
      ),
      go: calls.go(String.raw`http\.(Get|Head|Post)`, fromRequest("go")),
      ruby: calls.ruby(
        "get|get_response|open",
        withArguments(`^\\(?\\s*(URI\\(|URI\\.parse\\()?(${REQUEST.ruby})`),
        text("^(Net::HTTP|HTTParty|Faraday|URI)\\."),
      ),
      php: calls.php(
        "file_get_contents|curl_init|fopen",
        withArguments(`^\\(\\s*\\$_(GET|POST|REQUEST)\\[["'](url|uri|link|src|feed|target)["']`),
      ),
    },
    bad: example("src/preview.ts", "const page = await fetch(req.query.url);"),
    good: example(
      "src/preview.ts",
      `const page = await fetch(\`https://api.example.com/pages/\${encodeURIComponent(req.query.id)}\`);`,
    ),
  },
  {
    id: "dispatch-from-request",
    title: "The request names the method that is called",
    severity: "major",
    confidence: 0.8,
    why: "A client can reach every method of the object, not only those meant for it (`system`, `destroy`, `constructor`).",
    fix: "Look the name up in a list of allowed operations first.",
    onlyWith: /getattr|send|constantize|const_get|\$_|call_user_func|\[\s*(req|request|ctx|context)\b/,
    match: {
      ...script({
        kind: "call_expression",
        has: { field: "function", kind: "subscript_expression", has: { field: "index", regex: REQUEST.script } },
      }),
      python: calls.python("getattr", withArguments(`^\\([^,]*,\\s*(${REQUEST.python})`)),
      ruby: [
        calls.ruby("send|public_send|__send__|constantize|const_get", fromRequest("ruby")),
        calls.ruby("constantize|safe_constantize", has("receiver", REQUEST.ruby)),
      ],
      php: [
        { kind: "function_call_expression", has: { field: "function", regex: `^(${REQUEST.php})` } },
        calls.php("call_user_func|call_user_func_array", fromRequest("php")),
      ],
    },
    bad: example("src/actions.js", "actions[req.params.action](req.body);"),
    good: example("src/actions.js", "const action = ACTIONS.get(req.params.action);", "if (action) action(req.body);"),
  },
  {
    id: "unescaped-html",
    title: "Markup is built from unescaped text",
    severity: "major",
    confidence: 0.7,
    why: "A `<script>` or `onerror=` inside the text runs in the reader's browser with their session (cross-site scripting).",
    fix: "Set text (`textContent`), let the template engine escape it, or sanitize the markup first.",
    onlyWith:
      /innerHTML|outerHTML|document\.write|\b(res|resp|response|out)\.|mark_safe|Markup|template\.|html_safe|\braw\b|\$_/,
    match: {
      ...script(
        node(
          ["assignment_expression", "augmented_assignment_expression"],
          has("left", String.raw`\.(innerHTML|outerHTML)$`),
          {
            has: {
              field: "right",
              any: [
                node("template_string", text(String.raw`<.*\$\{[a-z]`)),
                node("binary_expression", text(String.raw`["'\x60]\s*<.*\+\s*[a-z]`)),
                { regex: `^(${REQUEST.script}|(window\\.)?location\\.(hash|search|href)|document\\.(URL|referrer))` },
              ],
            },
          },
          CLEANED,
        ),
        calls.script(
          String.raw`document\.(write|writeln)`,
          withArguments(String.raw`^\(.*(\$\{|\+\s*)(window\.|document\.)?(location|referrer|URL)\b`),
          CLEANED,
        ),
        calls.script(
          String.raw`(res|response)\.(send|write|end)`,
          withArguments(`^\\(\\s*(["'\`]\\s*<.*(\\$\\{|\\+\\s*))(${REQUEST.script})`),
          CLEANED,
        ),
      ),
      python: calls.python(
        String.raw`mark_safe|Markup|markupsafe\.Markup`,
        withArguments(
          String.raw`^\(\s*([rb]*f["']+.*\{|["'].*["']\s*%\s*[(a-z]|["'].*["']\.format\(|["'].*["']\s*\+\s*[a-z]|${REQUEST.python})`,
        ),
        CLEANED,
      ),
      go: calls.go(
        String.raw`template\.(HTML|JS|URL)`,
        withArguments(`^\\(\\s*(fmt\\.Sprintf\\(|["\`]<.*["\`]\\s*\\+\\s*[a-z]|${REQUEST.go})`),
        CLEANED,
      ),
      ruby: [
        calls.ruby(
          "html_safe",
          {
            has: { field: "receiver", any: [{ regex: REQUEST.ruby }, node("string", text(String.raw`<.*#\{[a-z@]`))] },
          },
          CLEANED,
        ),
        calls.ruby("raw", fromRequest("ruby")),
      ],
      php: node(
        ["echo_statement", "print_intrinsic"],
        text(REQUEST.php),
        CLEANED,
        not(text(String.raw`(json_encode|===?|isset|empty|count|\?)`)),
      ),
      java: calls.java(
        "print|println|write",
        withArguments(REQUEST.java),
        text(String.raw`^(out|(response|resp|res)\.getWriter\(\))\.`),
        CLEANED,
      ),
    },
    bad: example("src/list.ts", `item.innerHTML = \`<b>\${user.name}</b>\`;`),
    good: example("src/list.ts", "item.textContent = user.name;"),
  },
  {
    id: "debug-server",
    title: "Server runs in debug mode",
    severity: "medium",
    confidence: 0.75,
    why: "The debugger's error page shows source and settings, and Werkzeug's lets visitors run Python.",
    fix: "Take the flag from the environment and leave it off by default.",
    onlyWith: /debug/,
    match: {
      python: calls.python(
        String.raw`(app|application|server)\.run(_server)?`,
        withArguments(String.raw`\bdebug\s*=\s*True\b`),
      ),
    },
    fixes: [{ from: /(debug\s*=\s*)True/, to: "$1False" }],
    bad: example("app/main.py", 'app.run(host="0.0.0.0", debug=True)'),
    good: example("app/main.py", 'app.run(debug=os.environ.get("DEBUG") == "1")'),
  },
]);
