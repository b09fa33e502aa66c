// The text of an error for readers of a pull request: what failed, without details of the machine
// or the network.
import { cutText } from "./cut-text.ts";

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"()]{1,2000}/gi;
const IP = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?/g;
const IP6 =
  /(?<![\w:.])\[?(?=[0-9a-f:]{0,39}(?:::|(?::[0-9a-f]{1,4}){4}))[0-9a-f:]{2,39}(?:\.\d{1,3}){0,3}(?:%\w{1,15})?\]?(?::\d{1,5})?(?![\w:])/gi;
const HOST = /\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}:\d{2,5}\b|\b[a-z][\w-]{0,62}:\d{4,5}\b|\blocalhost(?::\d{1,5})?\b/gi;
/** Names that exist only inside a network. */
const INSIDE =
  /\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}\.(?:internal|intranet|intra|corp|lan|local|localdomain|home|private)\b(?!\.[a-z])/gi;
/** Node names the host that it could not resolve, and the hosts of a certificate. */
const UNKNOWN_HOST = /\b(ENOTFOUND|EAI_AGAIN|EAI_NODATA|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH) [^\s()]{1,255}/g;
const CERTIFICATE = /\b(Host: |DNS:|IP Address:|CN=)[^\s,;"']{1,255}/g;
/** Keeps the last name of a path; routes of GitHub's API look like paths, and are no secret. */
const FILE =
  /(?<![\w.:/])\/(?!repos\/|repositories\/|search\/|installation\/|app\/(?:hook|installations)\b)(?:[^\s/'"]{1,255}\/){1,40}([^\s/'"]{1,255})/g;

/** UTF-16 units of a message that are read. */
const MOST_READ = 4_000;

/**
 * @param most UTF-16 units; cut so that no half of a secret remains, which no redactor recognises
 * @returns the text without absolute paths, addresses and hosts
 */
export function publicErrorText(text: string, most = 200): string {
  const cleaned = cutText(text, MOST_READ)
    .replace(ADDRESS, "(an address)")
    .replace(UNKNOWN_HOST, "$1")
    .replace(CERTIFICATE, "$1(an address)")
    .replace(IP, "(an address)")
    .replace(HOST, "(an address)")
    .replace(IP6, "(an address)")
    .replace(INSIDE, "(an address)")
    .replace(FILE, "$1");
  if (cleaned.length <= most && text.length <= MOST_READ) return cleaned;
  return `${cutText(cleaned, most).replace(/\S{0,200}$/, "")}…`;
}
