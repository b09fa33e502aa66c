// The 95 % bootstrap interval of a share.

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * A ratio of sums over items that are drawn whole, because findings of one pull request are not
 * independent. For two systems the numerator may be the difference on the same item, which makes it
 * a paired comparison.
 *
 * @param parts numerator and denominator of each item
 * @returns the share and its 95 % interval; all 0 when the denominators are
 */
export function bootstrapShare(parts: readonly (readonly [number, number])[], seed = 1, rounds = 2_000): Interval {
  const random = randomFrom(seed);
  const share = (draw: () => readonly [number, number] | undefined) => {
    let [over, under] = [0, 0];
    for (let drawn = 0; drawn < parts.length; drawn += 1) {
      const part = draw();
      over += part?.[0] ?? 0;
      under += part?.[1] ?? 0;
    }
    return under === 0 ? 0 : over / under;
  };
  const shares = Array.from({ length: parts.length === 0 ? 1 : rounds }, () =>
    share(() => parts[Math.floor(random() * parts.length)]),
  ).sort((a, b) => a - b);
  const at = (part: number) => shares[Math.min(shares.length - 1, Math.floor(part * shares.length))] ?? 0;
  let next = 0;
  return { mean: share(() => parts[next++]), low: at(0.025), high: at(0.975) };
}

/** mulberry32: small, seeded, the same on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
