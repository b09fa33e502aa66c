// What a client sent chooses a file or an address.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, node, REQUEST, REQUEST_WORDS, text, unless, withArguments } from "./shapes.ts";

const BASENAME = String.raw`(?i)(basename|secure_filename|sanitize|\.Base\(|SecureJoin|getName\(|allowlist|whitelist)`;

const DIRECT = String.raw`^\(.*`;

const SAFE_TARGET = "(?i)(url_has_allowed_host|is_safe_url|safe_?redirect|allowed|sanitize|url_from|urlparse)";

export const REQUEST_INPUT: readonly StructuralRule[] = [
  {
    id: "path-traversal",
    title: "Path comes straight from the request",
    severity: "major",
    category: "security",
    confidence: 0.8,
    why: "A name such as `../../etc/passwd` or an absolute path leaves the folder that was meant.",
    fix: "Take the last part only (`basename`), or resolve the path and check that it still lies inside the folder before opening it.",
    onlyWith: REQUEST_WORDS,
    match: unless(BASENAME, {
      ...calls.inScript(
        String.raw`path\.(join|resolve)|(fs|fsp|fs\.promises)\.(readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync)|res\.(sendFile|download)`,
        withArguments(`${DIRECT}(${REQUEST.script})`),
      ),
      python: calls.python(
        String.raw`os\.path\.join|open|send_file|FileResponse`,
        withArguments(`${DIRECT}(${REQUEST.python})`),
      ),
      go: calls.go(
        String.raw`(filepath|path)\.Join|os\.(Open|OpenFile|ReadFile|Create|Remove|RemoveAll|WriteFile)|http\.ServeFile`,
        // http.ServeFile(w, r, …) refuses "..", but not what stands after Join.
        withArguments(`${DIRECT}(${REQUEST.go})`),
      ),
      java: [
        node(
          "object_creation_expression",
          has("type", "^(java\\.io\\.)?(File|FileInputStream|FileOutputStream|FileReader|FileWriter)$"),
          withArguments(`${DIRECT}(${REQUEST.java})`),
        ),
        calls.java(
          "get|of|resolve",
          withArguments(`${DIRECT}(${REQUEST.java})`),
          text("^(Paths|Path|\\w*[dD]ir|\\w*[rR]oot)\\."),
        ),
      ],
      ruby: calls.ruby(
        "join|read|open|readlines|binread|send_file|delete|write",
        withArguments(`^\\(?.*(${REQUEST.ruby})`),
        text(String.raw`^((File|IO|Pathname|FileUtils|Rails\.root|Dir)\b|send_file)`),
      ),
      php: [
        calls.php(
          "file_get_contents|file_put_contents|readfile|fopen|unlink|file",
          withArguments(`${DIRECT}(${REQUEST.php})`),
        ),
        {
          all: [
            {
              any: [
                "include_expression",
                "include_once_expression",
                "require_expression",
                "require_once_expression",
              ].map((kind) => ({ kind })),
            },
            text(REQUEST.php),
          ],
        },
      ],
    }),
    bad: example("src/files.ts", "res.sendFile(path.join(UPLOADS, req.params.name));"),
    good: example("src/files.ts", "res.sendFile(path.join(UPLOADS, path.basename(req.params.name)));"),
  },
  {
    id: "open-redirect",
    title: "Redirect target comes straight from the request",
    severity: "medium",
    category: "security",
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
      java: calls.java("sendRedirect", withArguments(`^\\(\\s*(${REQUEST.java})`)),
      ruby: calls.ruby("redirect_to", withArguments(`^\\(?\\s*(${REQUEST.ruby})`)),
      php: calls.php("header", withArguments(`^\\(\\s*["'](?i:location):\\s*(["']\\s*\\.\\s*)?\\{?(${REQUEST.php})`)),
    }),
    bad: example("src/login.ts", "res.redirect(req.query.next);"),
    good: example("src/login.ts", 'res.redirect("/account");'),
  },
  {
    id: "request-chosen-url",
    title: "Server fetches an address that the request chose",
    severity: "major",
    category: "security",
    confidence: 0.8,
    why: "A client can make the server call addresses that only it can reach: cloud metadata, internal services, `localhost` (server-side request forgery).",
    fix: "Choose the host yourself, or check it against a list after resolving it, and refuse redirects to other hosts.",
    onlyWith: REQUEST_WORDS,
    match: {
      ...calls.inScript(
        String.raw`fetch|got|axios(\.(get|post|put|request))?|https?\.(get|request)`,
        withArguments(`^\\(\\s*(${REQUEST.script})`),
      ),
      python: calls.python(
        String.raw`(requests|httpx)\.(get|post|put|head|request)|urlopen|urllib\.request\.urlopen`,
        withArguments(`^\\(\\s*(${REQUEST.python})`),
      ),
      go: calls.go(String.raw`http\.(Get|Head|Post)`, withArguments(`^\\(\\s*(${REQUEST.go})`)),
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
];
