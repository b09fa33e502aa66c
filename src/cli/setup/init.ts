// A first .kodiai.yml: the preset, and examples of the keys that teams set first, as comments.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { PRESET_NAMES, type Preset } from "../../config/preset.ts";
import { UsageError } from "../../config/usage-error.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { oneOf, repoFolder, verb } from "../usage.ts";

/** The text of the file: YAML with comments, which passes `config check`. */
export function firstConfig(preset: Preset): string {
  return `# How Kodiai reviews this repository. Every key may be left out: \`kodiai config show\` prints what is set,
# \`kodiai config explain KEY\` what a key means. It is read from the branch that a pull request goes into, so a change of it
# takes effect once it is merged.

# The defaults to start from: ${PRESET_NAMES.join(", ")}; your own values override them.
preset: ${preset}

# Which files are reviewed: \`!\` excludes, the last match wins. Lock files, vendored folders and what \`.gitattributes\` marks as
# generated or vendored are left out already.
# pathFilters:
#   - "!**/snapshots/**"

# Instructions for the model about some paths.
# pathInstructions:
#   - path: "src/**"
#     instructions: Every handler checks the tenant before it reads a row.

# A rule's severity, or \`off\`; docs/rules.md of Kodiai lists them.
# rules:
#   debugger-left-in: off
`;
}

/** kodiai init: writes it. @throws UsageError when the file exists and --force is not given */
export const init = verb("init", 0, async (values) => {
  const preset = oneOf("preset", values.preset ?? "balanced", PRESET_NAMES);
  const file = join(repoFolder(values.repo), ".kodiai.yml");
  if (values.stdout !== true && values.force !== true && existsSync(file)) {
    throw new UsageError(`${file} already exists; --force overwrites it, --stdout only prints`);
  }
  const text = firstConfig(preset);
  if (values.stdout === true) {
    process.stdout.write(text);
    return 0;
  }
  await writeForeignFile(file, [text], { mode: 0o666, replaces: values.force === true });
  console.log(`wrote ${file}; review it, edit it, commit it: it takes effect once it is merged`);
  return 0;
});
