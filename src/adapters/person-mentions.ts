// Where texts name somebody, and the same texts naming nobody.

/** Whether somebody is named in the text: see withoutMentions. */
export function mentions(text: string, login: string): boolean {
  return withoutMentions(text, login) !== text;
}

const NAME_CHARACTER = /[A-Za-z0-9-]/;

/**
 * The text with GitHub's own word for nobody in place of a login: of `@login`, unless it begins a longer name, and of
 * `"by":"login"` in JSON. Linear in the text.
 */
export function withoutMentions(text: string, login: string): string {
  const name = login.toLowerCase();
  const unasked = replaced(text, `@${name}`, "@ghost", (after) => !NAME_CHARACTER.test(after));
  return replaced(unasked, `"by":"${name}"`, '"by":"ghost"', () => true);
}

function replaced(text: string, wanted: string, by: string, fits: (after: string) => boolean): string {
  const lower = text.toLowerCase();
  // A letter whose small form is longer would move what follows: such a text is searched as it is written.
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
