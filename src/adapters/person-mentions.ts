// Finds and anonymises mentions of a person: a login or an e-mail address, in lower case.
import { redactionMark } from "../domain/text/cut-text.ts";

/** Whether the text names the person: see withoutMentions. */
export function mentions(text: string, name: string): boolean {
  return withoutMentions(text, name) !== text;
}

const NAME_CHARACTER = /[A-Za-z0-9-]/;
/** GitHub's logins have at most 39 characters; managed users' end in `_` and a code. */
const MENTION = /@([a-z0-9][a-z0-9_-]{0,50})/gi;
/** In JSON, the letter of an escape may come right before the next word. */
const ADDRESS = /(?:(?<=\\[bfnrt])|(?<![\w.%\\]))\w[\w.%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi;
/** GitHub's own addresses: `ID+LOGIN@users.noreply.github.com`. */
const NOREPLY = /^(\d{1,15})\+(.+)@users\.noreply\./;
const NO_ADDRESS = redactionMark("email");

/**
 * The text with `ghost`, GitHub's name for deleted accounts, in place of a person: in `@login`, in
 * `"by":"login"` of JSON, and in e-mail addresses of that name or login.
 */
export function withoutMentions(text: string, person: string): string {
  const name = person.toLowerCase();
  const unaddressed = text.replace(ADDRESS, (address) => {
    return name === address.toLowerCase() || name === loginOf(address) ? NO_ADDRESS : address;
  });
  if (name.includes("@")) return unaddressed;
  const unasked = replaced(unaddressed, `@${name}`, "@ghost", (after) => !NAME_CHARACTER.test(after));
  const unsaid = replaced(unasked, `"by":"${name}"`, '"by":"ghost"', () => true);
  return replaced(unsaid, `"author":"${name}"`, '"author":"ghost"', () => true);
}

/** The text without any e-mail address. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, NO_ADDRESS);
}

/** Everyone that a text may name, with the id if a GitHub address has it. */
export function namesIn(text: string): readonly { readonly id: number | null; readonly login: string }[] {
  const named = [...text.matchAll(MENTION)].map(([, login = ""]) => ({ id: null, login: login.toLowerCase() }));
  const addressed = [...text.matchAll(ADDRESS)].flatMap(([address]) => {
    const id = NOREPLY.exec(address)?.[1];
    return [
      { id: null, login: address.toLowerCase() },
      { id: id === undefined ? null : Number(id), login: loginOf(address) },
    ];
  });
  return [...named, ...addressed];
}

function loginOf(address: string): string {
  return (NOREPLY.exec(address)?.[2] ?? address.slice(0, address.lastIndexOf("@"))).toLowerCase();
}

function replaced(text: string, wanted: string, by: string, fits: (after: string) => boolean): string {
  const lower = text.toLowerCase();
  // Some lower-case letters are longer and shift offsets: then the original case is searched.
  const searched = lower.length === text.length ? lower : text;
  const parts: string[] = [];
  let from = 0;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + wanted.length)) {
    if (!fits(text.charAt(at + wanted.length))) continue;
    parts.push(text.slice(from, at), by);
    from = at + wanted.length;
  }
  return parts.join("") + text.slice(from);
}
