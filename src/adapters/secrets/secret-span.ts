// What a secret is, and what is none: templates, "changeme", runs of one character. Some values are
// never a secret; others hardly ever, which is no finding but stays out of logs.

/** A span of text that contains a secret. Offsets are UTF-16, end exclusive. */
export interface SecretSpan {
  /** For people: "GitHub token". Never contains any of the secret. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /**
   * certain: a published format with a credible body. likely: a credible value in its context.
   * possible: perhaps invented or public: hidden from logs and prompts, and no finding.
   */
  readonly certainty: "certain" | "likely" | "possible";
  readonly source: "format" | "private-key" | "assignment" | "url" | "kubernetes";
}

/** Text that is replaced later: shell, Helm, Jinja, ERB, printf, documentation. */
const TEMPLATE =
  /\$\{|\$\(|\{\{|\}\}|<%|%>|#\{|%\(|\$\[|^\$[A-Za-z_]|^%[A-Za-z_]+%$|^\{[^}]*\}$|^<[^>]*>$|^\[[^\]]*\]$|\.\.\.|…|\*{3}|^@/;

/** Words that mean "put yours here". */
const STAND_IN =
  /change[-_ ]?(?:me|it|this)|place[-_ ]?holder|your[-_ ]|^your|replace|redacted|insert[-_ ]|x{4,}|todo|fixme|^none$|^null$|^nil$|^undefined$|^true$|^false$/i;

/** Services issue keys; one that begins with "my" was written by hand as a placeholder. */
const MINE = /^my[-_ ]?(?:api[-_ ]?key|access[-_ ]?key|auth[-_ ]?token|token)[-_ ]?\d{0,6}$/i;

/** The key id of Amazon's own documentation, which is not valid. */
const DOCUMENTED = /^AKIAIOSFODNN7EXAMPLE$/;

const SAMPLE =
  /example|sample|dummy|fake|mock|test|demo|secret|passw|p@ss|foo|bar|hello|world|abc|qwerty|12345|letmein|default|invalid|wrong|correct|admin|postgres|mysql|mongo|redis|rabbit|guest|minio|docker|root|s3cr3t|sup[e3]r|t0ken|token|not[-_ ]?(?:a|real)|deadbeef|cafebabe|0000|localhost|local[-_]?dev|development|string|value|encrypted|ENC\[|ENC\(|vault:|op:\/\/|ssm:|arn:|secretsmanager/i;

/** Shannon entropy of a text in bits per character; 0 for the empty text. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/**
 * True when a value is never a secret: a template, a stand-in word, or one character repeated.
 *
 * @param value the value without its quotes
 */
export function isStandIn(value: string): boolean {
  const head = value.slice(0, 400);
  return (
    TEMPLATE.test(head) || STAND_IN.test(head) || MINE.test(head) || DOCUMENTED.test(head) || new Set(head).size < 4
  );
}

/**
 * True when a value is hardly ever a real secret: a stand-in, a word of examples and tests, or a
 * run such as `12345678` or `abcdefgh`. Enough to report nothing, not enough to print it.
 */
export function isSample(value: string): boolean {
  return isStandIn(value) || SAMPLE.test(value.slice(0, 400)) || longestRun(value.slice(0, 400)) >= 6;
}

/**
 * True when a token has an invented body: ascending runs (`1234567`, `AbCdEfGh`), or one character.
 * Less than one random token of 40 characters in a million has such a run of six.
 */
export function isInventedToken(token: string): boolean {
  return /example|sample|dummy|fake|placeholder|your|x{6,}|test[-_]?token/i.test(token) || longestRun(token) >= 6;
}

/** True when a token declares itself fake: `EXAMPLE`, `fake`, ten times the same character. */
export function isDummyToken(token: string): boolean {
  return /example|fake|dummy|placeholder|(.)\1{9}/i.test(token);
}

/** The longest run of characters that rise by one or stay: 7 for `1234567`, 4 for `aaaa`. */
function longestRun(text: string): number {
  const folded = text.toLowerCase();
  let longest = 0;
  for (const step of [0, 1]) {
    let run = 1;
    for (let at = 1; at < folded.length; at++) {
      run = folded.charCodeAt(at) - folded.charCodeAt(at - 1) === step ? run + 1 : 1;
      if (run > longest) longest = run;
    }
  }
  return longest;
}

/** The end of a sticky pattern's match at a place; `at` if there is none. */
export function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
