// Secrets by their context: `password = "…"`, `https://user:…@host`, a Kubernetes Secret. Scans
// only forward, with bounded look-ahead: a hostile megabyte costs milliseconds.
import { endOfMatch, entropy, isSample, isStandIn, type SecretSpan } from "./secret-span.ts";

/** The end of a key that names a secret; any prefix is allowed. */
const KEY =
  /(?:passw(?:or)?d|passwd|passphrase|pwd|secret[-_.]?key[-_.]?base|secret[-_.]?key|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|account[-_.]?key|auth[-_.]?key|signing[-_.]?key|encryption[-_.]?key|master[-_.]?key|credentials?)(?:[-_.]?(?:value|prod|production|dev|staging|live|id|\d{1,2}))?(?![A-Za-z0-9])/giy;
const KEY_START =
  /passw|passphrase|pwd|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|account[-_.]?key|auth[-_.]?key|signing[-_.]?key|encryption[-_.]?key|master[-_.]?key|credential/gi;
/** Between key and value, with a type: `password: &str = "…"`, `apiKey string = "…"`. */
const BETWEEN =
  /(?:["'`\])]{0,2}[ \t]{0,8}(?:(?::[ \t]{0,4}|(?=string))&?(?:'static[ \t])?[A-Za-z]\w{0,30}[ \t]{0,4}=(?=[ \t]{0,8}["'`])|:=|=>|\?=|\|\||[:=>,])[ \t]{0,8}(?:value[ \t]{0,2}=)?)/iy;
/** In a string inside a string the quotes have backslashes. */
const QUOTED = /(\\{0,4}(["'`]))([^"'`\r\n]{1,300}?)\\{0,4}\2/y;
/** A text that was cut before its value ended. */
const UNCLOSED = /\\{0,4}["'`](?=[^\s"'`]{8})/y;
/** Stops at `=`, so that repeated keys cost no more than their length; REST hides what follows. */
const BARE = /[^\s"'`,;(){}[\]<>#&|=]{1,300}={0,2}/y;
const REST = /[^\s"'`,;<>&]{0,300}/y;

/** Values that are names or locations of secrets: paths, URLs, dotted names, calls. */
const NAMES_SOMETHING =
  /^(?:\.{0,2}\/|~\/|[a-z]+:\/\/|[A-Za-z]:\\)|^[a-z_]+(?:[.-][a-z_]+)+$|^[A-Z_]+$|::|->|\w\.\w+\.\w/i;

/** Suggests a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `<password>…</password>`. */
export function* assignments(text: string): Iterable<SecretSpan> {
  KEY_START.lastIndex = 0;
  for (let hit = KEY_START.exec(text); hit !== null; hit = KEY_START.exec(text)) {
    const value = valueAfter(text, hit.index);
    if (value === null) continue;
    const judged = judge(value, text.charAt(value.start + value.text.length));
    if (judged === null) continue;
    const certainty = value.assigned ? judged : "possible";
    const label = /^(?:passw|pwd|passphrase)/i.test(hit[0]) ? "password" : "secret value";
    const end = value.quoted ? value.start + value.text.length : endOfMatch(REST, text, value.start);
    yield { label, start: value.start, end, certainty, source: "assignment" };
    KEY_START.lastIndex = end;
  }
}

interface Value {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
  /** False after a comma, where any word may follow, and for the identifier of a key. */
  readonly assigned: boolean;
}

function valueAfter(text: string, at: number): Value | null {
  const keyEnd = endOfMatch(KEY, text, at);
  const start = endOfMatch(BETWEEN, text, keyEnd);
  if (keyEnd === at || start === keyEnd) return null;
  const assigned = !text.slice(keyEnd, start).includes(",") && !/id$/i.test(text.slice(at, keyEnd));
  QUOTED.lastIndex = start;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) {
    const [, quote = "", , value = ""] = quoted;
    return { start: start + quote.length, text: value, quoted: true, assigned };
  }
  const from = endOfMatch(UNCLOSED, text, start);
  BARE.lastIndex = from;
  const bare = BARE.exec(text);
  return bare === null ? null : { start: from, text: bare[0], quoted: false, assigned };
}

/** Bits per character: passwords of the fixtures have 2.8–3.9, names without digits under 3.6. */
const LOW_ENTROPY = 2.7;

/** Follows a name in code, and no value in a settings file; `(` and `[` begin a call or index. */
const CODE_END = /[,;)\]}([]/;
/** One word of a name: `refresh`, `Token`, `URL`, `oauth2`, `o365`. */
const NAME_WORD = /^(?:(?=[A-Z]?[a-z]*?[aeiouy])[A-Z]?[a-z]+\d{0,3}|[A-Z]{2,6}\d{0,3}|[a-z]{1,4}\d{1,3})$/;
/** Technical words that contain digits. */
const TECHNICAL =
  /^(?:[mo]365|oauth[12]|auth0|md5|sha\d{1,3}|s3|v\d|x509|p12|base(?:32|58|64)|utf8|http[23]|k8s|ec2|ipv[46]|aes\d{3}|argon2|web3)$/i;

/**
 * True for the name of a variable or a field: `oauth2Token` if code continues after it,
 * `o365Credentials.refresh_token` and `md5_password` anywhere. A key is not a sequence of words.
 */
function isCodeName(value: string, next: string): boolean {
  if (!/^[A-Za-z_$][\w$.]*$/.test(value)) return false;
  const words = value.split(/[_$.]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== "");
  if (words.length < 2 || !words.some((word) => word.length > 3)) return false;
  const isTechnical = (word: string) => TECHNICAL.test(word) || (NAME_WORD.test(word) && !/\d/.test(word));
  if (CODE_END.test(next) || value.includes("."))
    return words.every((word) => isTechnical(word) || NAME_WORD.test(word));
  return words.every(isTechnical);
}

function judge({ text: value, quoted, assigned }: Value, next: string): SecretSpan["certainty"] | null {
  if (value.length < 8 || /\s/.test(value) || (!quoted && isCodeName(value, next))) return null;
  const mixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (!mixed && !(quoted && assigned && /[!@#$%^&*+/=?~]/.test(value))) return null;
  if (NAMES_SOMETHING.test(value) || isStandIn(value)) return null;
  return isSample(value) || !mixed || entropy(value) < LOW_ENTROPY ? "possible" : "likely";
}

const PASSPHRASE =
  /(?<=^|[\s|>+])[\w.-]{0,60}(?:passw(?:or)?d|passwd|passphrase|pwd)[ \t]{0,8}[:=][ \t]{0,8}([a-z]{3,12}(?:-[a-z]{3,12}){2,9})[ \t]{0,8}\r?$/gim;
/** Words of a value that only names a secret: `password: forgot-password-link`. */
const NAMING = /passw|secret|key|token|user|form|field|input|reset|page|link|label|name|error|file|prompt/i;

/** Hyphenated words that are a whole line's password: `password = correct-horse-battery-staple`. */
export function* passphrases(text: string): Iterable<SecretSpan> {
  if (!/passw|passphrase|pwd/i.test(text)) return;
  for (const hit of text.matchAll(PASSPHRASE)) {
    const [whole, value = ""] = hit;
    if (NAMING.test(value) || isStandIn(value)) continue;
    const start = hit.index + whole.lastIndexOf(value);
    yield { label: "password", start, end: start + value.length, certainty: "possible", source: "assignment" };
  }
}

const URL_PASSWORD =
  /\b([a-z][a-z0-9+.-]{1,20}):\/\/([^\s:@/"'`<>?#]{0,80}):([^\s@/"'`<>]{1,200}|[^\s/"'`<>]{1,200}(?=@))@([^\s/:"'`<>?#)\],]{1,200})/gi;
const NOT_A_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|::1|\[|host\b|hostname|(?:[\w-]+\.)*(?:example|test|invalid|local|localhost)(?:\.(?:com|org|net))?$|\$|\{|<)/i;

/** Passwords inside URLs; the span is the password alone. */
export function* urlPasswords(text: string): Iterable<SecretSpan> {
  if (!text.includes("://")) return;
  URL_PASSWORD.lastIndex = 0;
  for (const hit of text.matchAll(URL_PASSWORD)) {
    const [, scheme = "", user = "", password = "", host = ""] = hit;
    const start = hit.index + scheme.length + 3 + user.length + 1;
    const certainty = judgeUrl(scheme.toLowerCase(), user, password, host);
    if (certainty !== null)
      yield { label: "password in a URL", start, end: start + password.length, certainty, source: "url" };
  }
}

function judgeUrl(scheme: string, user: string, password: string, host: string): SecretSpan["certainty"] | null {
  if (isStandIn(password) || password === user) return null;
  if (password.length < 6 || isSample(password) || isSample(user) || NOT_A_HOST.test(host))
    return scheme.startsWith("ftp") || /\d/.test(password) ? "possible" : null;
  return /\d/.test(password) || (/[A-Z]/.test(password) && /[a-z]/.test(password)) ? "likely" : "possible";
}

/** Values under `data:` and `stringData:` of Kubernetes Secrets. */
export function* kubernetesSecrets(text: string): Iterable<SecretSpan> {
  if (!/^kind:[ \t]{1,4}["']?Secret["']?[ \t]*\r?$/m.test(text)) return;
  let offset = 0;
  let inside = false;
  for (const line of text.split("\n")) {
    if (/^\S/.test(line)) inside = /^(?:data|stringData):/.test(line);
    else if (inside) {
      const entry = /^([ \t]{1,12}[\w.-]{1,80}:[ \t]{1,4})(["']?)([^\s"'#|>][^\s"']{3,4000})\2[ \t]*\r?$/.exec(line);
      const [, lead = "", quote = "", value = ""] = entry ?? [];
      const start = offset + lead.length + quote.length;
      const decoded = Buffer.from(value, "base64").toString("utf8");
      const certainty = isSample(value) || isSample(decoded) || decoded.length < 8 ? "possible" : "likely";
      if (!isStandIn(value))
        yield {
          label: "value of a Kubernetes Secret",
          start,
          end: start + value.length,
          certainty,
          source: "kubernetes",
        };
    }
    offset += line.length + 1;
  }
}

const IDENTIFIERS: readonly { readonly label: string; readonly pattern: RegExp }[] = [
  {
    label: "Azure identifier",
    pattern:
      /(?:azure|ad|arm|tenant|client|subscription)[-_ ]?(?:tenant|client|subscription)?[-_ ]?id["' \t]{0,3}[:=>]{1,2}["' \t]{0,4}([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,
  },
  {
    // A name that ends in "key" is weak evidence, a long random word after it strong.
    label: "secret value",
    pattern:
      /(?<=[A-Za-z0-9][-_.])(?<!public[-_.])key["' \t]{0,3}[:=]{1,2}["' \t]{0,4}((?=[A-Za-z]{0,200}\d)(?=\d{0,200}[A-Za-z])[A-Za-z0-9]{24,200})(?![A-Za-z0-9])/gi,
  },
  {
    label: "AWS account id",
    pattern: /aws[-_]?account[-_]?id["' \t]{0,3}[:=>]{1,2}["' \t]{0,4}(\d{4}-?\d{4}-?\d{4})(?!\d)/gi,
  },
  { label: "blockchain key", pattern: /(?<![0-9A-Za-z])(0x[0-9a-fA-F]{64})(?![0-9A-Za-z])/g },
];

/** Identifiers that are no secrets but help an attacker, and hexadecimal words that may be keys. */
export function* identifiers(text: string): Iterable<SecretSpan> {
  for (const { label, pattern } of IDENTIFIERS)
    for (const hit of text.matchAll(pattern)) {
      const value = hit[1] ?? "";
      const start = hit.index + hit[0].length - value.length;
      yield { label, start, end: start + value.length, certainty: "possible", source: "format" };
    }
}
