// .env.example: every variable with its meaning and default.

import { ENV_VARIABLES } from "../src/config/environment/env-variables.ts";
import { wrapWords } from "./wrap-words.ts";

const HEAD = `# The environment of the Kodiai server. Copy to \`.env\` and fill in; the real environment beats this file.
# Set an address and its key in the same place: one here with the other in the environment is refused.
# Unknown KODIAI_ variables and weak secrets keep the server from starting.
`;

const WIDTH = 110;
/** Set by nearly everyone although another variable could take their place. */
const USUAL = "PRIVATE_KEY_PATH";

/**
 * Required variables are active and empty, so that no example's secret is ever in use; the others
 * are comments.
 */
export function envExample(): string {
  return [HEAD, ...ENV_VARIABLES.map(variableText)].join("\n");
}

function variableText(variable: (typeof ENV_VARIABLES)[number]): string {
  const about = wrapWords(variable.description, WIDTH - 2).map((line) => `# ${line}\n`);
  const value = variable.default ?? variable.example ?? "";
  const isOpen = variable.required || variable.name === USUAL;
  return `${about.join("")}${isOpen ? "" : "# "}${variable.name}=${value}\n`;
}
