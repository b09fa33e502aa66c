// Splits prose and code into words, in one linear pass, alike for queries and memories.

/**
 * Changes whenever a text would give other words: part of every index's and fingerprint's identity.
 */
export const TOKENISER_VERSION = "words-1";

/** Longer words are data (hashes, base64), not language: they are left out. */
const LONGEST_WORD = 48;
/** A longer run of letters and digits has no word in it. */
const LONGEST_RUN = LONGEST_WORD * 2;
/** Words read from one text; the rest is cut, so that one huge file cannot crowd out others. */
const MOST_WORDS = 200_000;

/** Words of every comment and every file: they never distinguish two texts. */
const STOP = new Set(
  (
    "a an and are as at be but by can could do does for from had has have he how i if in into is it its just me my no not of on or " +
    "our so than that the their them then there these they this to up us was we were what when which who why will with would you your"
  ).split(" "),
);

/**
 * Words of a text, in order, with repeats: lower case, identifiers both whole and split at
 * camelCase, snake_case and digits (`getUserId` gives `getuserid get user id`), English endings cut
 * so that singular and plural meet, scripts without spaces as pairs of characters.
 *
 * @param text any text; never throws, linear in its length
 */
export function tokenise(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (words.length >= MOST_WORDS) break;
    addRun(words, run);
  }
  return words;
}

function addRun(words: string[], run: string): void {
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(run)) {
    addPairs(words, run);
    return;
  }
  if (run.length > LONGEST_RUN) return;
  const parts = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  if (parts.length > 1) addWord(words, run.toLowerCase().replaceAll("_", ""), false);
  for (const part of parts) addWord(words, part.toLowerCase(), true);
}

function addWord(words: string[], word: string, stem: boolean): void {
  if (word.length < 2 || word.length > LONGEST_WORD || STOP.has(word)) return;
  words.push(stem ? stemOf(word) : word);
}

/** Chinese, Japanese, Korean: every two neighbours. */
function addPairs(words: string[], run: string): void {
  const characters = [...run];
  for (let at = 0; at + 1 < characters.length; at += 1)
    words.push(`${characters[at]}${characters[at + 1]}`.toLowerCase());
}

/** Strips English inflections. Crude on purpose: both sides are cut the same way. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith("ing") && word.length > 5) return undouble(word.slice(0, -3));
  if (word.endsWith("ed") && word.length > 4) return undouble(word.slice(0, -2));
  if (word.endsWith("es") && /(ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("s") && !/(ss|us|is)$/.test(word)) return unE(word.slice(0, -1));
  return unE(word);
}

function undouble(stem: string): string {
  const last = stem.at(-1);
  return last !== undefined && last === stem.at(-2) && !"lsz".includes(last) ? stem.slice(0, -1) : unE(stem);
}

/** `cache`, `caches`, `cached`, `caching` meet at `cach`. */
function unE(stem: string): string {
  return stem.length > 4 && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}
