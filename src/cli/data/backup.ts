// kodiai backup DIR, kodiai restore DIR: copies the store of a running server, and restores it.
import { UsageError } from "../../config/usage-error.ts";
import { backupPorts } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, printed, readWords } from "../usage.ts";
import { VERBS } from "../verbs.ts";

type BackedUp = Awaited<ReturnType<ReturnType<typeof backupPorts>["backUp"]>>["files"][number];

/** @returns 0 @throws UsageError; StoreUnusable when there is nothing to copy */
export async function backup(words: readonly string[]): Promise<ExitCode> {
  const { folder, values, ports } = read("backup", words);
  const { files } = await ports.backUp(folder);
  return printed(values, { folder, files }, () =>
    terminalText([...files.map(line), `written and verified: ${folder}`].join("\n")),
  );
}

/** @returns 0 @throws UsageError; StoreUnusable for a damaged backup, or where a store exists */
export async function restore(words: readonly string[]): Promise<ExitCode> {
  const { folder, values, ports } = read("restore", words);
  const { manifest, forgotten, uncertain } = await ports.restore(folder);
  const lines = [
    ...manifest.files.map(line),
    `restored into ${ports.folder} as of ${new Date(manifest.at).toISOString()}`,
    `deleted again: ${forgotten.length}; repositories to check on GitHub: ${uncertain}`,
  ];
  const value = { ...manifest, forgotten: forgotten.length, uncertain };
  return printed(values, value, () => terminalText(lines.join("\n")));
}

function read(verb: string, words: readonly string[]) {
  const { values, positionals } = readWords(words, VERBS.backup.options, 1);
  const [folder] = positionals;
  if (folder === undefined) throw new UsageError(`name the folder: kodiai ${verb} DIR`);
  return { folder, values, ports: backupPorts(values["data-dir"]) };
}

function line({ name, bytes, schema, sha256 }: BackedUp): string {
  return `${name.padEnd(10)} ${bytes} bytes, schema ${schema}, sha256 ${sha256}`;
}
