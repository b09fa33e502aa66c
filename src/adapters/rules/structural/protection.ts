// Hashes, ciphers, random values, checks of the other side and rights of files that do not hold.
import { rulesOf, type StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, script, text, withArguments } from "./shapes.ts";

/** Names of values that protect something. */
const PASSWORD = String.raw`(?i:passw(or)?d|passphrase|\bpwd\b)`;

const SECRET_NAME = String.raw`(?i)(token|secret|passw(or)?d|session_?id|api_?key|\bnonce\b|\bsalt\b|\botp\b|csrf|reset_?code|verification_?code)`;

/** A binding whose name protects something and whose value holds a weak source. */
function named(kind: string, name: string, value: string, source: string, unless = "^$") {
  return node(
    kind,
    has(name, SECRET_NAME),
    // A function that makes something else may hold any random value.
    { has: { field: value, regex: `(?s)${source}`, not: { regex: String.raw`(?s)(=>\s*\{|function\s*\()` } } },
    not(text(unless)),
  );
}

const HMAC = /^import[ \t][\w., \t]*(?<![.\w])hmac(?![.\w]|[ \t]+as\b)/m;

const SIGNATURE = "(?i)(signature|hmac)";

const SIGNATURE_OPERAND = { regex: "(?i)(signature|hmac)[\"'\\])]*$" };

function comparison(kind: string, operator: string) {
  const computed = { regex: String.raw`(?i)(^|[._$])(expected|computed|calculated|generated)\w*$|digest\([^)]*\)$` };
  return node(kind, has("operator", `^(${operator})$`), text(SIGNATURE), {
    any: [
      { all: [{ has: { field: "left", ...SIGNATURE_OPERAND } }, { has: { field: "right", ...computed } }] },
      { all: [{ has: { field: "right", ...SIGNATURE_OPERAND } }, { has: { field: "left", ...computed } }] },
    ],
  });
}

export const PROTECTION = rulesOf<StructuralRule>("security", [
  {
    id: "weak-password-hash",
    title: "Password is hashed with a fast hash",
    severity: "major",
    confidence: 0.8,
    why: "A graphics card tries billions of MD5 or SHA values a second, so a leaked table is read back in hours.",
    fix: "Use a password hash with a cost: argon2id, scrypt or bcrypt.",
    onlyWith: /passw|passphrase|pwd/i,
    match: {
      ...script(
        node(
          "call_expression",
          text(
            String.raw`createHash\(\s*["'](md5|sha-?1|sha-?256|sha-?512)["']\s*\)\s*\.update\([^)]*${PASSWORD}[^)]*\)(\s*\.digest\([^)]*\))?$`,
          ),
        ),
      ),
      python: calls.python(String.raw`hashlib\.(md5|sha1|sha256|sha512)`, withArguments(PASSWORD)),
      go: calls.go(String.raw`(md5|sha1)\.Sum|sha256\.Sum256|sha512\.Sum512`, withArguments(PASSWORD)),
      php: [
        calls.php("md5|sha1|crc32", withArguments(`\\$\\w*${PASSWORD}`)),
        calls.php("hash", withArguments(`^\\(\\s*["'](md5|sha1|sha256|sha512)["'],\\s*\\$\\w*${PASSWORD}`)),
      ],
      ruby: calls.ruby(
        "hexdigest|digest|base64digest",
        withArguments(PASSWORD),
        text(String.raw`^(OpenSSL::)?Digest::(MD5|SHA1|SHA256|SHA512)\.`),
      ),
      java: calls.java(
        "md5Hex|md5|sha1Hex|sha256Hex|sha512Hex|md5DigestAsHex",
        withArguments(PASSWORD),
        text("^(DigestUtils|Hashing)\\."),
      ),
    },
    bad: example("src/accounts.ts", 'const stored = createHash("sha256").update(password).digest("hex");'),
    good: example("src/cache.ts", 'const key = createHash("md5").update(url).digest("hex");'),
  },
  {
    id: "weak-cipher",
    title: "Cipher is broken or used in ECB mode",
    severity: "major",
    confidence: 0.85,
    why: "DES and RC4 are breakable today, and ECB encrypts equal blocks alike, so patterns stay visible and blocks can be swapped.",
    fix: "Use AES-GCM or ChaCha20-Poly1305 with a fresh nonce for each message.",
    onlyWith: /[cC]ipher|\bAES\b|\bDES3?\b|ARC[24]\b|Blowfish|openssl_|ECB|\bdes\.New|\brc4\b/,
    match: {
      ...script(
        calls.script(
          String.raw`(crypto\.)?create(C|Dec)ipheriv`,
          withArguments(String.raw`^\(\s*["'](?i:des\b|des-|des3|rc4|rc2|bf-|[\w-]*-ecb)`),
        ),
        calls.script(String.raw`crypto\.create(C|Dec)ipher`),
      ),
      python: [
        calls.python(String.raw`(DES3?|ARC4|ARC2|Blowfish)\.new`),
        calls.python(String.raw`AES\.new`, withArguments(String.raw`\bMODE_ECB\b`)),
        calls.python(String.raw`(modes\.ECB|algorithms\.(ARC4|TripleDES|Blowfish))`),
      ],
      go: calls.go(String.raw`des\.New(TripleDES)?Cipher|rc4\.NewCipher`),
      java: calls.java(
        "getInstance",
        withArguments(
          String.raw`^\(\s*"((?i:des|desede|rc4|arcfour|rc2|blowfish)[/"]|AES"|[A-Za-z]+/ECB/(PKCS5|PKCS7|No))`,
        ),
        not(withArguments('^\\(\\s*"RSA')),
        text("^Cipher\\."),
      ),
      php: calls.php(
        "openssl_encrypt|openssl_decrypt",
        withArguments(String.raw`["'](?i:[\w-]*-ecb|des[\w-]*|rc4[\w-]*|bf-[\w-]*)["']`),
      ),
      ruby: calls.ruby(
        "new",
        withArguments(String.raw`^\(?\s*["'](?i:des[\w-]*|rc4|bf-[\w-]*|[\w-]*-ecb)["']`),
        text("^OpenSSL::Cipher"),
      ),
    },
    bad: example("src/vault.ts", 'const cipher = crypto.createCipheriv("aes-128-ecb", key, null);'),
    good: example("src/vault.ts", 'const cipher = crypto.createCipheriv("aes-256-gcm", key, nonce);'),
  },
  {
    id: "insecure-random",
    title: "Secret value comes from a predictable random generator",
    severity: "major",
    confidence: 0.8,
    why: "The generator's state can be worked out from a few outputs or the time, and with it every token it gave out.",
    fix: "Use the system's generator: `crypto.randomBytes`, `secrets`, `crypto/rand`, `SecureRandom`, `random_bytes`.",
    onlyWith: /\brand|[rR]andom|_rand|uniqid|lcg_value|str_shuffle/,
    match: {
      ...script(
        named("variable_declarator", "name", "value", String.raw`Math\.random\(\)`),
        named("assignment_expression", "left", "right", String.raw`Math\.random\(\)`),
        named("pair", "key", "value", String.raw`Math\.random\(\)`),
      ),
      python: named(
        "assignment",
        "left",
        "right",
        String.raw`\brandom\.(choice|choices|randint|random|sample|getrandbits|randrange)\(`,
        String.raw`SystemRandom|max_token|num_token|token_id|tokens\b`,
      ),
      go: named(
        "short_var_declaration",
        "left",
        "right",
        String.raw`\brand\.(Intn?|Int31n?|Int63n?|Uint32|Uint64|Float64)\(`,
        String.raw`rand\.Int\(rand\.Reader`,
      ),
      java: named("variable_declarator", "name", "value", String.raw`(new Random\(|Math\.random\(|ThreadLocalRandom)`),
      php: named(
        "assignment_expression",
        "left",
        "right",
        String.raw`\b(rand|mt_rand|uniqid|lcg_value|str_shuffle)\(`,
        "random_bytes|random_int|openssl_random",
      ),
      ruby: named(
        "assignment",
        "left",
        "right",
        String.raw`(^|[^.\w])(rand|Random\.rand|Random\.new)\b`,
        "SecureRandom",
      ),
    },
    bad: example("src/sessions.ts", "const sessionId = Math.random().toString(36).slice(2);"),
    good: example("src/sessions.ts", 'const sessionId = randomBytes(16).toString("hex");'),
  },
  {
    id: "timing-unsafe-compare",
    title: "Signature is compared with ==",
    severity: "medium",
    confidence: 0.7,
    why: "The comparison stops at the first different byte; the time it takes tells an attacker how much of a forged signature is right.",
    fix: "Compare in constant time: `crypto.timingSafeEqual`, `hmac.compare_digest`, `hmac.Equal`, `hash_equals`.",
    onlyWith: /signature|hmac/i,
    match: {
      ...script(comparison("binary_expression", "===?|!==?")),
      go: comparison("binary_expression", "==|!="),
      php: comparison("binary_expression", "===?|!==?"),
      ruby: comparison("binary", "==|!="),
      python: node(
        "comparison_operator",
        text(
          String.raw`(?i)(signature|hmac)["'\])]*\s*(==|!=)\s*([\w.]*[._])?((expected|computed|calculated|generated)\w*|\S*digest\([^)]*\))$|^([\w.]*[._])?((expected|computed|calculated|generated)\w*|\S*digest\([^)]*\))\s*(==|!=)\s*\S*(signature|hmac)["'\])]*$`,
        ),
      ),
    },
    fixes: [
      { from: /^(\S+)\s*==\s*(\S+)$/, to: "hmac.compare_digest($1, $2)", languages: ["python"], onlyIn: HMAC },
      { from: /^(\S+)\s*!=\s*(\S+)$/, to: "not hmac.compare_digest($1, $2)", languages: ["python"], onlyIn: HMAC },
      { from: /^(\S+)\s*===?\s*(\S+)$/, to: "hash_equals($2, $1)", languages: ["php"] },
      { from: /^(\S+)\s*!==?\s*(\S+)$/, to: "!hash_equals($2, $1)", languages: ["php"] },
    ],
    bad: example("src/webhook.ts", "if (signature !== expectedSignature) return reject();"),
    good: example("src/webhook.ts", "if (!timingSafeEqual(signature, expected)) return reject();"),
  },
  {
    id: "tls-verify-disabled",
    title: "Certificate check is switched off",
    severity: "major",
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
        node(
          "assignment",
          text(
            String.raw`(check_hostname\s*=\s*False|verify_mode\s*=\s*ssl\.CERT_NONE|_create_default_https_context\s*=\s*ssl\._create_unverified_context|\.verify\s*=\s*False)$`,
          ),
        ),
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
  {
    id: "world-writable",
    title: "File is made writable for everyone",
    severity: "medium",
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
]);
