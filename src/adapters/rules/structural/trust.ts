// Checks of the other side that are switched off.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, node, script, text, withArguments } from "./shapes.ts";

export const TRUST: readonly StructuralRule[] = [
  {
    id: "tls-verify-disabled",
    title: "Certificate check is switched off",
    severity: "major",
    category: "security",
    confidence: 0.85,
    why: "Without the check anyone on the way can pose as the server, read the traffic and change it.",
    fix: 'Keep the check on; for a private authority add its certificate (`ca`, `verify="ca.pem"`, `RootCAs`).',
    onlyWith:
      /rejectUnauthorized|NODE_TLS|verif|check_hostname|CERT_NONE|TrustAllStrategy|checkServerTrusted|danger_accept/i,
    match: {
      ...script(
        node("pair", has("key", "^[\"']?rejectUnauthorized[\"']?$"), has("value", "^false$")),
        node(
          "assignment_expression",
          has("left", String.raw`(\.rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED["']?\]?)$`),
          has("right", "^(false|0|[\"']0[\"'])$"),
        ),
      ),
      python: [
        calls.python(
          String.raw`(requests|httpx|session|self\.session|client|self\.client|s)\.(get|post|put|patch|delete|head|request)|httpx\.(Async)?Client`,
          withArguments(String.raw`\bverify\s*=\s*False\b`),
        ),
        calls.python(String.raw`ssl\._create_unverified_context|_create_unverified_context`),
        {
          kind: "assignment",
          any: [
            text(
              String.raw`(check_hostname\s*=\s*False|verify_mode\s*=\s*ssl\.CERT_NONE|_create_default_https_context\s*=\s*ssl\._create_unverified_context|\.verify\s*=\s*False)$`,
            ),
          ],
        },
        { kind: "keyword_argument", regex: String.raw`^cert_reqs\s*=\s*(ssl\.CERT_NONE|["']CERT_NONE["'])$` },
      ],
      go: [
        { kind: "keyed_element", regex: String.raw`^InsecureSkipVerify:\s*true$` },
        { kind: "assignment_statement", regex: String.raw`\.InsecureSkipVerify\s*=\s*true$` },
      ],
      java: [
        {
          any: [{ kind: "identifier" }, { kind: "type_identifier" }],
          regex: "^(NoopHostnameVerifier|AllowAllHostnameVerifier|ALLOW_ALL_HOSTNAME_VERIFIER|TrustAllStrategy)$",
          not: { inside: { kind: "import_declaration", stopBy: "end" } },
        },
        node("method_declaration", has("name", "^checkServerTrusted$"), has("body", String.raw`^\{\s*\}$`)),
      ],
      ruby: { kind: "scope_resolution", regex: "^OpenSSL::SSL::VERIFY_NONE$" },
      rust: [
        { kind: "call_expression", regex: String.raw`(?s)\.danger_accept_invalid_(certs|hostnames)\(\s*true\s*\)$` },
        { kind: "call_expression", regex: String.raw`(?s)\.set_verify\(\s*SslVerifyMode::NONE\s*\)$` },
      ],
      php: [
        calls.php("curl_setopt", withArguments(String.raw`CURLOPT_SSL_VERIFY(PEER|HOST),\s*(?i:false|0)\s*\)$`)),
        {
          kind: "array_element_initializer",
          regex: String.raw`^(["']verify(_peer|_peer_name)?["']|CURLOPT_SSL_VERIFY(PEER|HOST))\s*=>\s*(?i:false|0)$`,
        },
      ],
    },
    fixes: [
      { from: /,\s*verify\s*=\s*False\b/, to: "" },
      { from: /(rejectUnauthorized["']?\s*[:=]\s*)false/, to: "$1true" },
      { from: /(NODE_TLS_REJECT_UNAUTHORIZED["'\]]*\s*=\s*["']?)0/, to: "$11" },
      { from: /(InsecureSkipVerify\s*[:=]\s*)true/, to: "$1false" },
      { from: /(check_hostname\s*=\s*)False/, to: "$1True" },
      { from: /(CURLOPT_SSL_VERIFYPEER["']?\s*(?:,|=>)\s*)(?:false|0)/i, to: "$1true" },
      { from: /(danger_accept_invalid_(?:certs|hostnames)\(\s*)true/, to: "$1false" },
      { from: /VERIFY_NONE$/, to: "VERIFY_PEER" },
    ],
    bad: example("src/client.ts", "const agent = new https.Agent({ rejectUnauthorized: false });"),
    good: example("src/client.ts", "const agent = new https.Agent({ ca: readFileSync(CA) });"),
  },
  {
    id: "jwt-unverified",
    title: "Token's signature is not verified",
    severity: "major",
    category: "security",
    confidence: 0.8,
    why: "Anyone can write a token that says they are someone else; only the signature proves who issued it.",
    fix: "Verify with the key and a fixed list of algorithms, and read claims only from the verified token.",
    onlyWith: /jwt|jose|Algorithm|insecure_|Unverified/i,
    match: {
      ...script(
        calls.script(
          String.raw`(jwt|jsonwebtoken|jose)\.(verify|jwtVerify)|jwtVerify`,
          withArguments(String.raw`algorithms:\s*\[[^\]]*["'](?i:none)["']`),
        ),
        calls.script(String.raw`(jwt|jsonwebtoken)\.sign`, withArguments(String.raw`algorithm:\s*["'](?i:none)["']`)),
      ),
      python: calls.python(
        String.raw`(jwt|jose\.jwt|pyjwt)\.decode`,
        withArguments(
          String.raw`(["']verify_signature["']\s*:\s*False|\bverify\s*=\s*False|algorithms\s*=\s*\[[^\]]*["']none["'])`,
        ),
      ),
      go: [
        { kind: "selector_expression", regex: String.raw`^jwt\.UnsafeAllowNoneSignatureType$` },
        calls.go(String.raw`\w+(\(\))?\.ParseUnverified|jwt\.NewParser\(\)\.ParseUnverified`),
      ],
      java: calls.java("none", text(String.raw`^Algorithm\.none\(\)$`)),
      ruby: calls.ruby("decode", withArguments(String.raw`,\s*(nil|[\w.:]+),\s*false\b`), text("^JWT\\.")),
      rust: [
        { kind: "call_expression", regex: String.raw`^\w+\.insecure_disable_signature_validation\(\)$` },
        calls.rust("(jsonwebtoken::)?dangerous_insecure_decode\\w*"),
      ],
    },
    bad: example("src/auth.ts", 'const claims = jwt.verify(token, key, { algorithms: ["HS256", "none"] });'),
    good: example("src/auth.ts", 'const claims = jwt.verify(token, key, { algorithms: ["HS256"] });'),
  },
];
