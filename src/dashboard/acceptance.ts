// Of the findings that people or commits decided, how many were taken up.

/** What was fixed once and came back was fixed all the same. */
export const TAKEN_UP = ["accepted", "fixed", "reintroduced"];

/** The share is null where none was decided. */
export function acceptance(findings: readonly { readonly outcome: string; readonly count: number }[] | null) {
  const of = (...names: readonly string[]) =>
    (findings ?? []).filter(({ outcome }) => names.includes(outcome)).reduce((sum, { count }) => sum + count, 0);
  const taken = of(...TAKEN_UP);
  const decided = taken + of("declined");
  return { share: decided === 0 ? null : taken / decided, taken, decided, fixed: of("fixed", "reintroduced") };
}
