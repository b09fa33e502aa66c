// How much memory searching may hold where nobody says.

/**
 * An eighth of the machine's memory, at least 256 MB and at most 2 GB: a million memories and their sign bits take .7.
 *
 * @param bytes that the machine has
 */
export function memoryFor(bytes: number): number {
  return Math.min(2e9, Math.max(256e6, bytes / 8));
}
