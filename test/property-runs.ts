/**
 * How many cases a property test tries: all of them where there is time (`NIGHTLY=1`, as every
 * night, with cases that nobody has seen yet), else a twentieth, and at least fifty.
 */
export function runs(most: number): { readonly numRuns: number } {
  return { numRuns: process.env.NIGHTLY === "1" ? most : Math.min(most, Math.max(50, Math.ceil(most / 20))) };
}
