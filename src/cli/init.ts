// kodiai init: writes a .kodiai.yml that fits a checkout. A file that is there is never written over unasked.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PRESET_NAMES } from "../config/preset.ts";
import { isFolder } from "./find-repository.ts";
import { type Checkout, fittedConfig } from "./fit-config.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/**
 * @param open reads the checkout in a folder
 * @throws UsageError when the file is there already, or the folder is no repository
 */
export async function init(words: readonly string[], open: (folder: string) => Promise<Checkout>): Promise<ExitCode> {
  const { values, positionals } = readWords(words, {
    repo: { type: "string" },
    preset: { type: "string" },
    force: { type: "boolean" },
    stdout: { type: "boolean" },
  });
  if (positionals.length > 0)
    throw new UsageError(`init takes no ${JSON.stringify(positionals[0])}; name a folder with --repo`);
  const folder = resolve(values.repo ?? ".");
  if (!isFolder(folder)) throw new UsageError(`--repo ${values.repo} is not a folder`);
  const preset = oneOf("preset", values.preset ?? "balanced", PRESET_NAMES);
  const file = join(folder, ".kodiai.yml");
  if (values.stdout !== true && values.force !== true && existsSync(file)) {
    throw new UsageError(`${file} is there already; --force writes over it, --stdout only prints`);
  }
  const text = fittedConfig(await open(folder), preset);
  if (values.stdout === true) {
    process.stdout.write(text);
    return 0;
  }
  await writeFile(file, text);
  console.log(`wrote ${file}; read it, change it, commit it: it holds for pull requests once it is merged`);
  return 0;
}
