// The cases that every rule is tried on: what docs/rules.md shows of it, and more.
import type { RuleText } from "../../../../src/adapters/rules/rule.ts";
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

const MORE: Cases = {
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

/** Every case of a built-in rule, the ones of docs/rules.md first. */
export function casesOf({ id, bad, good }: RuleText): Cases[string] {
  const more = MORE[id];
  if (bad === undefined || good === undefined || more === undefined) throw new Error(`no cases of ${id}`);
  return { bad: [bad, ...more.bad], good: [good, ...more.good] };
}
