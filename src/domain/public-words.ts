// The words of an error for whoever can read a pull request: what failed, and nothing of the machine or the network on which it did.

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"()]{1,2000}/gi;
const IP = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?/g;
const HOST = /\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}:\d{2,5}\b/g;
/** Node names the host that it could not find. */
const UNKNOWN_HOST = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED) [^\s()]{1,255}/g;
/** Of a path the last name; routes of GitHub's API look like paths, and are no secret. */
const FILE =
  /(?<![\w.:/])\/(?!repos\/|repositories\/|search\/|installation\/|app\/(?:hook|installations)\b)(?:[^\s/'"]{1,255}\/){1,40}([^\s/'"]{1,255})/g;

/** So much of a message is read. */
const MOST_READ = 4_000;

/**
 * @param most UTF-16 units; cut between words, because half of a secret is none that a redactor knows
 * @returns the text without absolute paths, addresses and hosts
 */
export function publicWords(text: string, most = 200): string {
  const told = text
    .slice(0, MOST_READ)
    .replace(ADDRESS, "(an address)")
    .replace(UNKNOWN_HOST, "$1")
    .replace(IP, "(an address)")
    .replace(HOST, "(an address)")
    .replace(FILE, "$1");
  if (told.length <= most && text.length <= MOST_READ) return told;
  return `${told.slice(0, most).replace(/\S{0,200}$/, "")}…`;
}
