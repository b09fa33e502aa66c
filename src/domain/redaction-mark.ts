// What stands where a secret was. It is inert in Markdown: without brackets it can become no link and no image,
// whatever stands around it.

/** Everywhere in a text: `‹redacted:github-token›`. */
export const REDACTION_MARK = /‹redacted:[a-z0-9-]{1,60}›/;
/** UTF-16 units of the longest mark. */
export const LONGEST_MARK = 72;

/** @param kind kebab-case, at most 60 characters: `github-token` */
export function redactionMark(kind: string): string {
  return `‹redacted:${kind}›`;
}
