// What a browser is told: markup, origins that may read, error pages.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, kinds, node, not, REQUEST, script, text, withArguments } from "./shapes.ts";

const CLEANED = not(
  text(
    String.raw`(?i)(sanitize|purify|escape|encode|JSON\.stringify|htmlspecialchars|htmlentities|\bh\(|strip_tags|intval|\(int\)|nonce)`,
  ),
);

export const WEB_OUTPUT: readonly StructuralRule[] = [
  {
    id: "unescaped-html",
    title: "Markup is built from unescaped text",
    severity: "major",
    category: "security",
    confidence: 0.7,
    why: "A `<script>` or `onerror=` inside the text runs in the reader's browser with their session (cross-site scripting).",
    fix: "Set text (`textContent`), let the template engine escape it, or sanitize the markup first.",
    onlyWith:
      /innerHTML|outerHTML|document\.write|\b(res|resp|response|out)\.|mark_safe|Markup|template\.|html_safe|\braw\b|\$_/,
    match: {
      ...script(
        {
          all: [
            kinds("assignment_expression", "augmented_assignment_expression"),
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
          ],
        },
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
        calls.ruby("raw", withArguments(`^\\(?\\s*(${REQUEST.ruby})`)),
      ],
      php: {
        all: [
          kinds("echo_statement", "print_intrinsic"),
          text(REQUEST.php),
          CLEANED,
          not(text(String.raw`(json_encode|===?|isset|empty|count|\?)`)),
        ],
      },
      java: calls.java(
        "print|println|write",
        withArguments(`^\\(.*(${REQUEST.java})`),
        text(String.raw`^(out|(response|resp|res)\.getWriter\(\))\.`),
        CLEANED,
      ),
    },
    bad: example("src/list.ts", `item.innerHTML = \`<b>\${user.name}</b>\`;`),
    good: example("src/list.ts", "item.textContent = user.name;"),
  },
  {
    id: "cors-any-with-credentials",
    title: "Every origin may read answers with the user's cookies",
    severity: "major",
    category: "security",
    confidence: 0.85,
    why: "Any page that a signed-in user visits can then read private data from this server in their name.",
    fix: "List the origins that may send credentials, or leave credentials out.",
    onlyWith: /credentials/i,
    match: {
      ...script(
        node(
          "object",
          text(
            String.raw`[{,]\s*origin:\s*(true|["']\*["']|\(\s*\w+,\s*\w+\s*\)\s*=>\s*\w+\(\s*null,\s*true\s*\))\s*[,}]`,
          ),
          text(String.raw`\bcredentials:\s*true\b`),
          not({ has: { kind: "pair", has: { field: "value", kind: "object" } } }),
        ),
      ),
      python: [
        calls.python(
          String.raw`[\w.]+`,
          withArguments(String.raw`^\(.*\ballow_origins\s*=\s*\[\s*["']\*["']\s*\]`),
          withArguments(String.raw`\ballow_credentials\s*=\s*True`),
        ),
        calls.python(
          "CORS",
          withArguments(String.raw`\borigins\s*=\s*\[?\s*["']\*["']`),
          withArguments(String.raw`\bsupports_credentials\s*=\s*True`),
        ),
      ],
      go: node(
        "composite_literal",
        text(String.raw`^\w*cors\.(Config|Options)\{`),
        text(String.raw`AllowCredentials:\s*true`),
        text(String.raw`(AllowAllOrigins:\s*true|Allow(ed)?Origins:\s*\[\]string\{\s*"\*"\s*\})`),
      ),
      java: node(
        "method_invocation",
        text(String.raw`\.(allowedOriginPatterns|allowedOrigins)\(\s*"\*"\s*\)`),
        text(String.raw`\.allowCredentials\(\s*true\s*\)`),
      ),
    },
    bad: example("src/server.ts", "app.use(cors({ origin: true, credentials: true }));"),
    good: example("src/server.ts", "app.use(cors({ origin: ORIGINS, credentials: true }));"),
  },
  {
    id: "debug-server",
    title: "Server runs in debug mode",
    severity: "medium",
    category: "security",
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
    fixes: [
      { from: /(debug["']?\s*[:=]\s*)True/, to: "$1False" },
      { from: /(DEBUG\s*=\s*)True/, to: "$1False" },
    ],
    bad: example("app/main.py", 'app.run(host="0.0.0.0", debug=True)'),
    good: example("app/main.py", 'app.run(debug=os.environ.get("DEBUG") == "1")'),
  },
];
