// From the ordered list to what is used: the best few, at most so many of one file, as many whole entries as there is room.

export interface ChooseLimits {
  readonly topK: number;
  /** At most this many about one path; null for no limit. */
  readonly perFile: number | null;
  /** Characters for all entries together; null for no limit. */
  readonly characters: number | null;
}

export interface Choosable {
  readonly record: { readonly id: string; readonly path: string | null };
}

/**
 * Takes from the top. An entry that does not fit is left out whole and the next smaller one may take its place.
 *
 * @param ordered best first
 * @param lengthOf characters that an entry takes where it is shown
 * @returns what is used, in order, and what is not, each with its reason
 */
export function choose<T extends Choosable>(
  ordered: readonly T[],
  limits: ChooseLimits,
  lengthOf: (entry: T) => number,
): { readonly chosen: readonly T[]; readonly cut: readonly { readonly id: string; readonly reason: string }[] } {
  const chosen: T[] = [];
  const cut: { id: string; reason: string }[] = [];
  const perPath = new Map<string, number>();
  let left = limits.characters ?? Number.POSITIVE_INFINITY;
  for (const entry of ordered) {
    const { id, path } = entry.record;
    const ofFile = path === null ? 0 : (perPath.get(path) ?? 0);
    // Asked only of what there is a place for, and once: to tell its length an entry is written out.
    let told = 0;
    const length = () => {
      told = lengthOf(entry);
      return told;
    };
    const reason = reasonAgainst({ chosen: chosen.length, ofFile, length, left }, limits);
    if (reason !== null) {
      cut.push({ id, reason });
      continue;
    }
    chosen.push(entry);
    left -= told;
    if (path !== null) perPath.set(path, ofFile + 1);
  }
  return { chosen, cut };
}

function reasonAgainst(
  at: { readonly chosen: number; readonly ofFile: number; readonly length: () => number; readonly left: number },
  limits: ChooseLimits,
): string | null {
  if (at.chosen >= limits.topK) return `over the ${limits.topK} that are used`;
  if (limits.perFile !== null && at.ofFile >= limits.perFile) return `over the ${limits.perFile} of one file`;
  if (at.length() > at.left) return "over the characters that are left";
  return null;
}
