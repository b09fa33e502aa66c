// What a file of cases holds.
import type { Example } from "../../../src/adapters/rules/rule.ts";

/** By rule id the code that it must speak about (bad) or stay silent about (good). */
export type Cases = Readonly<Record<string, { readonly bad: readonly Example[]; readonly good: readonly Example[] }>>;
