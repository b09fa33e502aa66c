// When rejections without a reason count as one: many of them, by several people, and where it matters on several pull requests.

export interface Rejections {
  readonly rejections: number;
  /** Distinct, by numeric id. */
  readonly people: number;
  /** Distinct pull requests. */
  readonly pulls: number;
}

/** True when each count reaches its least. */
export function rejectedOften(found: Rejections, least: Rejections): boolean {
  return found.rejections >= least.rejections && found.people >= least.people && found.pulls >= least.pulls;
}
