// One .kodiai.yml: from text to what it validly says, and every problem in it by line and column.
import { CONFIG_SHAPE } from "./config-keys.ts";
import { dropWrongValues } from "./drop-wrong-values.ts";
import { bare, type Located, type Trouble } from "./located.ts";
import { readYaml } from "./read-yaml.ts";
import { recogniseKeys } from "./recognise-keys.ts";

/** What one file says, and only what it says: no defaults. */
export interface FileReading {
  /** A mapping with known keys and valid values; null when the file says nothing. */
  readonly root: Located | null;
  readonly troubles: readonly Trouble[];
}

/** Reads one file. Never throws; a wrong value is left out and named. */
export function readConfigFile(text: string): FileReading {
  const yaml = readYaml(text);
  if (yaml.root === null) return yaml;
  const recognised = recogniseKeys(yaml.root, CONFIG_SHAPE);
  const valid = dropWrongValues(recognised.root);
  return { root: valid.root, troubles: [...yaml.troubles, ...recognised.troubles, ...valid.troubles] };
}

/**
 * The repository that a file builds on: the value of `_extends`, a bare name of the same owner.
 *
 * @returns null when the key is absent or not such a name (`parseConfig` names that problem)
 */
export function extendsOf(text: string): string | null {
  const { root } = readConfigFile(text);
  const value = root === null ? undefined : (bare(root) as { _extends?: unknown })._extends;
  return typeof value === "string" ? value : null;
}
