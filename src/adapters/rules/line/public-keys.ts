// Keys that everyone may see: a browser or an app needs them, and their issuer gives them few rights.
import type { InspectedFile } from "../../../ports.ts";
import { knownLines } from "../known-lines.ts";

/** Lines before and after a key that say what it is for. */
const NEAR = 6;

/** A key's line, and that with the lines around it. */
interface KeyPlace {
  /** The line and the one above it. */
  readonly own: string;
  readonly near: string;
}

/** @param line 1-based line of the head file on which the key begins */
export function linesAround(file: InspectedFile, line: number): KeyPlace {
  const near = knownLines(file).filter((known) => Math.abs(known.line - line) <= NEAR);
  const textOf = (from: number, to: number) =>
    near.flatMap((known) => (known.line >= from && known.line <= to ? [known.text] : [])).join("\n");
  return { own: textOf(line - 1, line), near: textOf(line - NEAR, line + NEAR) };
}

/** Stripe's publishable keys. Source: docs.stripe.com/keys. */
const PUBLISHABLE = /^pk_(?:live|test)_/;
/** Firebase says that its web keys are public: firebase.google.com/docs/projects/api-keys. */
const FIREBASE_KEY = /^AIza[\w-]{35}$/;
const FIREBASE = /firebase/i;
/** Search keys of Algolia and DocSearch: algolia.com/doc/guides/security/api-keys. */
const ALGOLIA_KEY = /^[0-9a-f]{32}$/;
const ALGOLIA = /algolia|docsearch/i;
/** An admin key of Algolia has the same shape as a search key. */
const ADMIN = /admin|write/i;
/** Names whose values build tools put into what every visitor loads. */
const PUBLIC_NAME =
  /(?:NEXT_PUBLIC|EXPO_PUBLIC|VITE|REACT_APP|NUXT_PUBLIC|GATSBY)_\w{0,80}KEY|publishable_?key|public_?(?:api_?)?key|anon_?key|site_?key|search_?(?:only_?)?(?:api_?)?key/i;
const SAID_PUBLIC =
  /(?:\/\/|#|\/?\*|<!--|--\s).{0,200}\b(?:public|publishable|search[- ]only|not (?:a )?secret|no secret|safe to (?:commit|expose|publish|share))\b/i;

/** Whether a key of a published format is one that everyone may see. */
export function isPublicFormat(value: string, { near }: KeyPlace): boolean {
  return PUBLISHABLE.test(value) || (FIREBASE_KEY.test(value) && FIREBASE.test(near));
}

/** Whether a value that is called a key is one that everyone may see: by its shape, its name, or a comment. */
export function isPublicKey(value: string, place: KeyPlace): boolean {
  return (
    isPublicFormat(value, place) ||
    PUBLIC_NAME.test(place.own) ||
    SAID_PUBLIC.test(place.own) ||
    (ALGOLIA_KEY.test(value) && ALGOLIA.test(place.near) && !ADMIN.test(place.own))
  );
}
