import type { RepositoryRule } from "../rule.ts";
import { EXPORT_RULES } from "./exports.ts";
import { KEY_RULES } from "./keys.ts";
import { SIGNATURE_RULES } from "./signatures.ts";
import { TEST_RULES } from "./tests.ts";
import { TWICE_RULES } from "./twice.ts";

/** Rules that hold a change against the whole repository. */
export const REPOSITORY_RULES: readonly RepositoryRule[] = [
  ...SIGNATURE_RULES,
  ...EXPORT_RULES,
  ...TEST_RULES,
  ...KEY_RULES,
  ...TWICE_RULES,
];
