// The structural rules, theme by theme.
import type { StructuralRule } from "../rule.ts";
import { ASYNCHRONOUS } from "./asynchronous.ts";
import { BRANCHES } from "./branches.ts";
import { COLLECTIONS } from "./collections.ts";
import { COMPARISONS } from "./comparisons.ts";
import { CONDITIONS } from "./conditions.ts";
import { CRYPTOGRAPHY } from "./cryptography.ts";
import { DROPPED_VALUES } from "./dropped-values.ts";
import { ERRORS } from "./errors.ts";
import { EXPOSURE } from "./exposure.ts";
import { GO } from "./go.ts";
import { INJECTION } from "./injection.ts";
import { PYTHON_TRAPS } from "./python-traps.ts";
import { REQUEST_CONTROL } from "./request-control.ts";
import { REQUEST_INPUT } from "./request-input.ts";
import { TESTING } from "./testing.ts";
import { THREADS_AND_NUMBERS } from "./threads-and-numbers.ts";
import { TRUST } from "./trust.ts";
import { UNTRUSTED } from "./untrusted-data.ts";
import { WEB_OUTPUT } from "./web-output.ts";

export const STRUCTURAL_RULES: readonly StructuralRule[] = [
  ...INJECTION,
  ...REQUEST_INPUT,
  ...REQUEST_CONTROL,
  ...WEB_OUTPUT,
  ...UNTRUSTED,
  ...CRYPTOGRAPHY,
  ...TRUST,
  ...EXPOSURE,
  ...ERRORS,
  ...ASYNCHRONOUS,
  ...TESTING,
  ...PYTHON_TRAPS,
  ...THREADS_AND_NUMBERS,
  ...BRANCHES,
  ...GO,
  ...COLLECTIONS,
  ...COMPARISONS,
  ...CONDITIONS,
  ...DROPPED_VALUES,
];
