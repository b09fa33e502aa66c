// The cases that every rule is tried on: what docs/rules.md shows of it, and more.
import type { RuleText } from "../../../../src/adapters/rules/rule.ts";
import type { Cases } from "../rule-cases.ts";
import { ASYNCHRONOUS } from "./asynchronous.ts";
import { BRANCHES } from "./branches.ts";
import { COLLECTIONS } from "./collections.ts";
import { COMPARISONS } from "./comparisons.ts";
import { CONDITIONS } from "./conditions.ts";
import { CRYPTOGRAPHY } from "./cryptography.ts";
import { DEPENDENCIES } from "./dependencies.ts";
import { DROPPED_VALUES } from "./dropped-values.ts";
import { ERRORS } from "./errors.ts";
import { EXPORTS } from "./exports.ts";
import { EXPOSURE } from "./exposure.ts";
import { GO } from "./go.ts";
import { HIDDEN_TEXT } from "./hidden-text.ts";
import { INFRASTRUCTURE } from "./infrastructure.ts";
import { INJECTION } from "./injection.ts";
import { INSTRUCTIONS_TO_TOOLS } from "./instructions-to-tools.ts";
import { KEYS } from "./keys.ts";
import { LEFTOVERS } from "./leftovers.ts";
import { PYTHON_TRAPS } from "./python-traps.ts";
import { REQUEST_CONTROL } from "./request-control.ts";
import { REQUEST_INPUT } from "./request-input.ts";
import { SECRETS } from "./secrets.ts";
import { SETTINGS } from "./settings.ts";
import { SHELL } from "./shell.ts";
import { SIGNATURES } from "./signatures.ts";
import { SQL } from "./sql.ts";
import { TESTING } from "./testing.ts";
import { TESTS } from "./tests.ts";
import { THREADS_AND_NUMBERS } from "./threads-and-numbers.ts";
import { TRANSPORT } from "./transport.ts";
import { TRUST } from "./trust.ts";
import { TWICE } from "./twice.ts";
import { UNTRUSTED_DATA } from "./untrusted-data.ts";
import { WEB_OUTPUT } from "./web-output.ts";
import { WORKFLOWS } from "./workflows.ts";

const MORE: Cases = {
  ...ASYNCHRONOUS,
  ...BRANCHES,
  ...COLLECTIONS,
  ...COMPARISONS,
  ...CONDITIONS,
  ...CRYPTOGRAPHY,
  ...DEPENDENCIES,
  ...DROPPED_VALUES,
  ...ERRORS,
  ...EXPORTS,
  ...EXPOSURE,
  ...GO,
  ...HIDDEN_TEXT,
  ...INFRASTRUCTURE,
  ...INJECTION,
  ...INSTRUCTIONS_TO_TOOLS,
  ...KEYS,
  ...LEFTOVERS,
  ...PYTHON_TRAPS,
  ...REQUEST_CONTROL,
  ...REQUEST_INPUT,
  ...SECRETS,
  ...SETTINGS,
  ...SHELL,
  ...SIGNATURES,
  ...SQL,
  ...TESTING,
  ...TESTS,
  ...THREADS_AND_NUMBERS,
  ...TRANSPORT,
  ...TRUST,
  ...TWICE,
  ...UNTRUSTED_DATA,
  ...WEB_OUTPUT,
  ...WORKFLOWS,
};

/** Every case of a built-in rule, the ones of docs/rules.md first. */
export function casesOf({ id, bad, good }: RuleText): Cases[string] {
  const more = MORE[id];
  if (bad === undefined || good === undefined || more === undefined) throw new Error(`no cases of ${id}`);
  return { bad: [bad, ...more.bad], good: [good, ...more.good] };
}
