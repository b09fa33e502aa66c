// Protection that a line switches off, or that does not hold: certificates, hashes, signatures,
// temporary files.
import { type LineRule, rulesOf } from "../rule.ts";
import { anyOf, holdsCommands, isConfig, searchLines } from "./line-rule.ts";

const SETTING_OFF =
  /^\s*(?:-\s*)?(?:export\s+|ENV\s+|set\s+|\$env:)?["']?(?:NODE_TLS_REJECT_UNAUTHORIZED["']?\s*[:= ]\s*["']?0|GIT_SSL_NO_VERIFY["']?\s*[:= ]\s*["']?(?:1|true)|PYTHONHTTPSVERIFY["']?\s*[:= ]\s*["']?0|strict-ssl\s*=\s*false|(?:insecure_?skip_?(?:tls_?)?verify|tls_?skip_?verify|skip_?tls_?verify|skip_?ssl_?verification|disable_?ssl_?verification|ssl_?verify_?none)["']?\s*[:=]\s*["']?true|(?:verify_?ssl|ssl_?verify|tls_?verify|verify_?tls|verify_?certs?|validate_?certs?|check_?certificate|sslverify|reject_?unauthorized)["']?\s*[:=]\s*["']?(?:false|no|off|0)\b)/i;
const COMMAND_OFF =
  /\bhttp\.sslVerify(?:=|\s+)["']?(?:false|0)\b|\bcurl\b(?:\s+-{1,2}[\w-]+(?:[= ][^\s|;&-][^\s|;&]*)?|\s+[^\s|;&-][^\s|;&]*){0,12}?\s+(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?=\s|$)|\bwget\b[^|;&]{0,200}\s--no-check-certificate\b|\bstrict-ssl\s+false\b|\bpip3?\s+install\b[^|;&]{0,200}--trusted-host\b|\bNODE_TLS_REJECT_UNAUTHORIZED=0|\bGIT_SSL_NO_VERIFY=(?:1|true)/;
/** By language, in the order of JavaScript, Python, Go, Java, Ruby, Rust and PHP. */
const CODE_OFF = [
  /\brejectUnauthorized["']?\s*[:=]\s*false\b|\bNODE_TLS_REJECT_UNAUTHORIZED["'\]]{0,2}\s*=\s*["']?0/,
  /\b(?:requests|httpx|session|client|s)\.[^#]{0,300}\bverify\s*=\s*False\b|^\s*verify=False\s*[,)]|\.verify\s*=\s*False\b|\bcheck_hostname\s*=\s*False\b|\b(?:verify_mode|cert_reqs)\s*=\s*(?:ssl\.|["'])?CERT_NONE\b|\b_create_unverified_context\b/,
  /\bInsecureSkipVerify\s*[:=]\s*true\b/,
  /^(?!\s*import\b).*\b(?:NoopHostnameVerifier|AllowAllHostnameVerifier|ALLOW_ALL_HOSTNAME_VERIFIER|TrustAllStrategy)\b|\bcheckServerTrusted\([^)]{0,200}\)[^{};]{0,100}\{\s*\}/,
  /\bOpenSSL::SSL::VERIFY_NONE\b/,
  /\bdanger_accept_invalid_(?:certs|hostnames)\(\s*true\s*\)|\bSslVerifyMode::NONE\b/,
  /\bCURLOPT_SSL_VERIFY(?:PEER|HOST)["']?\s*(?:,|=>)\s*(?:false|0)\b|["']verify(?:_peer|_peer_name)?["']\s*=>\s*(?:false|0)\b/i,
];
const LOCAL =
  /localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal|kubernetes\.default|169\.254\.169\.254/i;

/** The check of a rule that speaks about a line in which one of these occurs. */
function inEveryFile(...patterns: readonly RegExp[]): LineRule["check"] {
  return (file) => searchLines(file, anyOf(...patterns));
}

export const PROTECTION_RULES = rulesOf<LineRule>("security", [
  {
    id: "tls-verify-disabled",
    title: "Certificate check is switched off",
    confidence: 0.85,
    why: "Without the check anyone on the way can pose as the server, read the traffic and change it.",
    fix: 'Keep the check on; for a private authority add its certificate (`ca`, `verify="ca.pem"`, `RootCAs`).',
    fixes: [
      { from: /,\s*verify\s*=\s*False\b/, to: "" },
      { from: /(rejectUnauthorized["']?\s*[:=]\s*)false/, to: "$1true" },
      { from: /(NODE_TLS_REJECT_UNAUTHORIZED["'\]]{0,2}\s*[:= ]\s*["']?)0/, to: "$11" },
      { from: /(InsecureSkipVerify\s*[:=]\s*)true/, to: "$1false" },
      { from: /(check_hostname\s*=\s*)False/, to: "$1True" },
      { from: /(CURLOPT_SSL_VERIFYPEER["']?\s*(?:,|=>)\s*)(?:false|0)/i, to: "$1true" },
      { from: /(danger_accept_invalid_(?:certs|hostnames)\(\s*)true/, to: "$1false" },
      { from: /\bSSL::VERIFY_NONE\b/, to: "SSL::VERIFY_PEER" },
      { from: /((?:verify_?ssl|ssl_?verify|verify_?certs?)["']?\s*[:=]\s*)(?:false|no|off)\b/i, to: "$1true" },
    ],
    check: (file) => {
      const isCommands = holdsCommands(file);
      const settings = isCommands || isConfig(file) ? [SETTING_OFF] : [];
      const isOff = anyOf(...CODE_OFF, ...settings, ...(isCommands ? [COMMAND_OFF] : []));
      return searchLines(file, (text, at) => !LOCAL.test(text) && isOff(text, at));
    },
  },
  {
    id: "weak-password-hash",
    title: "Password is hashed with a fast hash",
    confidence: 0.75,
    why: "A graphics card tries billions of MD5 or SHA values a second, so a leaked table is read back in hours.",
    fix: "Use a password hash with a cost: argon2id, scrypt or bcrypt.",
    check: inEveryFile(
      /(?:\bcreateHash\(\s*["'](?:md5|sha-?(?:1|256|512))["']\s*\)\s*\.update|\bhashlib\.(?:md5|sha1|sha256|sha512)|\b(?:md5|sha1)\.Sum|\bsha(?:256\.Sum256|512\.Sum512)|\bDigest::(?:MD5|SHA1|SHA256|SHA512)\.(?:hex|base64)?digest|\b(?:DigestUtils|Hashing)\.(?:md5|sha)\w{0,20}|(?<![\w.>$])(?:md5|sha1|crc32|hash(?=\(\s*["'](?:md5|sha1|sha256|sha512)["'],)))\([^)]{0,200}?(?:passw(?:or)?d|passphrase|\bpwd\b)/i,
    ),
  },
  {
    id: "weak-cipher",
    title: "Cipher is broken or used in ECB mode",
    confidence: 0.8,
    why: "DES and RC4 are breakable today, and ECB encrypts equal blocks alike, so patterns stay visible and blocks can be swapped.",
    fix: "Use AES-GCM or ChaCha20-Poly1305 with a fresh nonce for each message.",
    check: inEveryFile(
      /\bcreate(?:C|Dec)ipheriv\(\s*["'](?:des\b|des-|des3|rc4|rc2|bf-|[\w-]{1,30}-ecb)|\bcrypto\.create(?:C|Dec)ipher\(/i,
      /\b(?:DES3?|ARC4|ARC2|Blowfish)\.new\(|\bAES\.new\([^#]{0,200}\bMODE_ECB\b|\bmodes\.ECB\(|\balgorithms\.(?:ARC4|TripleDES|Blowfish)\(/,
      /\bdes\.New(?:TripleDES)?Cipher\(|\brc4\.NewCipher\(/,
      /\bCipher\.getInstance\(\s*"(?:(?:des|desede|rc4|arcfour|rc2|blowfish)[/"]|AES"|(?!RSA)[a-z]{1,30}\/ECB\/(?:PKCS5|PKCS7|No))/i,
      /\bopenssl_(?:en|de)crypt\([^#]{0,300}["'](?:[\w-]{1,30}-ecb|(?:des|rc4|bf-)[\w-]{0,30})["']/i,
      /\bOpenSSL::Cipher(?:::Cipher)?\.new\(?\s*["'](?:des|rc4["']|bf-|[\w-]{1,30}-ecb)/i,
    ),
  },
  {
    id: "jwt-unverified",
    title: "Token's signature is not verified",
    confidence: 0.8,
    why: "Anyone can write a token that says they are someone else; only the signature proves who issued it.",
    fix: "Verify with the key and a fixed list of algorithms, and read claims only from the verified token.",
    check: inEveryFile(
      /\balgorithms["']?\s*[:=]\s*\[[^\]]{0,100}["']none["']|\bjwt\.sign\([^#]{0,300}\balgorithm:\s*["']none["']/i,
      /["']verify_signature["']\s*:\s*False\b|\b(?:py)?jwt\.decode\([^#]{0,300}\bverify\s*=\s*False\b/,
      /\bjwt\.UnsafeAllowNoneSignatureType\b|\.ParseUnverified\(|\bAlgorithm\.none\(\)/,
      /\bJWT\.decode\([^#]{0,200},\s*(?:nil|[\w.:]{1,60}),\s*false\b/,
      /\.insecure_disable_signature_validation\(\)|\bdangerous_insecure_decode/,
    ),
  },
  {
    id: "insecure-temp-file",
    title: "Temporary file's name can be taken by someone else",
    severity: "medium",
    confidence: 0.8,
    why: "Between choosing the name and opening it another user can put a file or link there, and the program writes into it.",
    fix: "Let one call choose the name and open it: `tempfile.NamedTemporaryFile`, `mkstemp`, `os.CreateTemp`, `Tempfile.create`.",
    check: inEveryFile(
      /\btempfile\.mktemp\(|\bos\.te?mpnam\(/,
      /\b(?:fopen|file_put_contents)\(\s*sys_get_temp_dir\(\)\s*\.\s*["']\/?[\w.-]{1,100}["']\s*[,)]/,
      /\bFile\.(?:open|write)\(?\s*["']\/tmp\/[^"']{0,100}#\{(?:\$\$|Process\.pid|Time\.now)/,
    ),
  },
]);
