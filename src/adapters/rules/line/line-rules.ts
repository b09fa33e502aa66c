// Every rule that reads lines: no syntax tree, any language.
import type { LineRule } from "../rule.ts";
import { DEPENDENCY_RULES } from "./dependencies.ts";
import { HIDDEN_TEXT_RULES } from "./hidden-text.ts";
import { INFRASTRUCTURE_RULES } from "./infrastructure.ts";
import { INSTRUCTION_RULES } from "./instructions-to-tools.ts";
import { LEFTOVER_RULES } from "./leftovers.ts";
import { SECRET_RULES } from "./secrets.ts";
import { SETTINGS_RULES } from "./settings.ts";
import { SHELL_RULES } from "./shell.ts";
import { SQL_RULES } from "./sql.ts";
import { TRANSPORT_RULES } from "./transport.ts";
import { WORKFLOW_RULES } from "./workflows.ts";

/** In the order in which people should read about them. */
export const LINE_RULES: readonly LineRule[] = [
  ...SECRET_RULES,
  ...HIDDEN_TEXT_RULES,
  ...INSTRUCTION_RULES,
  ...WORKFLOW_RULES,
  ...TRANSPORT_RULES,
  ...INFRASTRUCTURE_RULES,
  ...SHELL_RULES,
  ...SQL_RULES,
  ...DEPENDENCY_RULES,
  ...SETTINGS_RULES,
  ...LEFTOVER_RULES,
];
