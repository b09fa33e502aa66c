// Whether a shared secret could be guessed.

const MIN_LENGTH = 32;
const MIN_DISTINCT = 8;
/** Characters that must remain after removing the words below: 16 random letters cannot be guessed. */
const MIN_UNGUESSABLE = 16;

/** Words that placeholders are made of. Probot's own default secret is "development". */
const GUESSABLE = (
  "development placeholder production changethis changeme password testing example webhook default replace " +
  "dummies secrets kodiai secret github probot please dummy token admin value local your test with here " +
  "this long random string"
).split(" ");

/**
 * Why a secret must not be used, or null when it may: at least 32 characters, 8 of them distinct, not repeated, not a sequence,
 * not composed of placeholder words. The reason never contains the secret.
 */
export function weakSecret(secret: string): string | null {
  if (secret.length < MIN_LENGTH) return `is shorter than ${MIN_LENGTH} characters`;
  if (new Set(secret).size < MIN_DISTINCT) return `has fewer than ${MIN_DISTINCT} different characters`;
  if (`${secret}${secret}`.indexOf(secret, 1) < secret.length) return "repeats itself";
  if (climbs(secret)) return "is a sequence";
  const left = GUESSABLE.reduce((text, word) => text.replaceAll(word, ""), secret.toLowerCase());
  return left.replace(/[^\p{L}\p{N}]/gu, "").length < MIN_UNGUESSABLE ? "is a well-known or placeholder value" : null;
}

/** True when more than half of the characters follow their neighbour, as in "abcdefgh…" and "0123456789ab…". */
function climbs(secret: string): boolean {
  let steps = 0;
  for (let index = 1; index < secret.length; index += 1) {
    if (Math.abs(secret.charCodeAt(index) - secret.charCodeAt(index - 1)) === 1) steps += 1;
  }
  return steps * 2 > secret.length;
}
