// Hashes, ciphers and random values that do not hold.
import type { StructuralRule } from "../rule.ts";
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

export const CRYPTOGRAPHY: readonly StructuralRule[] = [
  {
    id: "weak-password-hash",
    title: "Password is hashed with a fast hash",
    severity: "major",
    category: "security",
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
    category: "security",
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
    category: "security",
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
    category: "security",
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
];
