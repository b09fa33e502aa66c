/** Epoch milliseconds of the years 0–9999, the end exclusive. */
const [FIRST, END] = [-62_167_219_200_000, 253_402_300_800_000];

/** Epoch milliseconds as a UTC date, `2026-11-21`; "" unless finite and of the years 0–9999. */
export function isoDate(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: a given moment, not the current one
  return ms >= FIRST && ms < END ? new Date(ms).toISOString().slice(0, 10) : "";
}
