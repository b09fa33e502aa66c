// Hidden marks in our own comments: how Kodiai knows its words again after a restart. Only marks in comments by our own
// account count; anyone can write the same characters.

const FINDING = /<!-- kodiai:finding (fnd_[0-9a-f]{12}) -->/g;

/** Marks the sticky summary of a pull request. */
export const SUMMARY_MARKER = "<!-- kodiai:summary -->";

/** Ties a comment to a finding: `<!-- kodiai:finding fnd_0123456789ab -->`. */
export function findingMarker(findingId: string): string {
  return `<!-- kodiai:finding ${findingId} -->`;
}

/** Ids of the findings that a comment's body is marked with. */
export function parseFindingMarkers(body: string): string[] {
  return [...body.matchAll(FINDING)].map((match) => match[1] ?? "");
}
