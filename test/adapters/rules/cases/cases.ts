// The cases that every rule is tried on; docs/rules.md shows the first bad one of each.
import type { Cases } from "../rule-cases.ts";
import { CHECKS } from "./checks.ts";
import { CRYPTOGRAPHY } from "./cryptography.ts";
import { EXPORTS } from "./exports.ts";
import { FORGOTTEN } from "./forgotten.ts";
import { HIDDEN_TEXT } from "./hidden-text.ts";
import { INJECTION } from "./injection.ts";
import { INSTRUCTIONS_TO_TOOLS } from "./instructions-to-tools.ts";
import { LEFTOVERS } from "./leftovers.ts";
import { PROTECTION } from "./protection.ts";
import { REQUEST_INPUT } from "./request-input.ts";
import { SECRETS } from "./secrets.ts";
import { SIGNATURES } from "./signatures.ts";
import { SQL } from "./sql.ts";
import { TRUST } from "./trust.ts";
import { UNTRUSTED_DATA } from "./untrusted-data.ts";
import { WEB_OUTPUT } from "./web-output.ts";
import { WORKFLOWS } from "./workflows.ts";

const ALL: Cases = {
  ...CHECKS,
  ...CRYPTOGRAPHY,
  ...EXPORTS,
  ...FORGOTTEN,
  ...HIDDEN_TEXT,
  ...INJECTION,
  ...INSTRUCTIONS_TO_TOOLS,
  ...LEFTOVERS,
  ...PROTECTION,
  ...REQUEST_INPUT,
  ...SECRETS,
  ...SIGNATURES,
  ...SQL,
  ...TRUST,
  ...UNTRUSTED_DATA,
  ...WEB_OUTPUT,
  ...WORKFLOWS,
};

/** Every case of a built-in rule. Throws where there are none. */
export function casesOf({ id }: { readonly id: string }): Cases[string] {
  const cases = ALL[id];
  if (cases === undefined) throw new Error(`no cases of ${id}`);
  return cases;
}
