// kodiai backup DIR, kodiai restore DIR: copies the store of a running server, and restores a store from such a copy.
import { StoreUnusable } from "../../domain/errors.ts";
import { backupPorts } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, noMore, printJson, readWords, UsageError } from "../usage.ts";
import { VERBS } from "../verbs.ts";

type BackedUp = Awaited<ReturnType<ReturnType<typeof backupPorts>["backUp"]>>["files"][number];

/** @returns 0; 3 when there is nothing to copy @throws UsageError */
export async function backup(words: readonly string[]): Promise<ExitCode> {
  const { folder, json, ports } = read("backup", words);
  return finishing(async () => {
    const { files } = await ports.backUp(folder);
    if (json) printJson({ folder, files });
    else for (const file of files) console.log(terminalText(line(file)));
    if (!json) console.log(terminalText(`written and verified: ${folder}`));
  });
}

/** @returns 0; 3 when the backup is damaged or the data folder holds a store @throws UsageError */
export async function restore(words: readonly string[]): Promise<ExitCode> {
  const { folder, json, ports } = read("restore", words);
  return finishing(async () => {
    const { manifest, forgotten, doubted } = await ports.restore(folder);
    if (json) return printJson({ ...manifest, forgotten: forgotten.length, doubted });
    for (const file of manifest.files) console.log(terminalText(line(file)));
    const at = new Date(manifest.at).toISOString();
    console.log(terminalText(`restored into ${ports.folder} as of ${at}`));
    console.log(`deleted again: ${forgotten.length}; repositories to check on GitHub: ${doubted}`);
  });
}

function read(verb: string, words: readonly string[]) {
  const { values, positionals } = readWords(words, VERBS.backup.options);
  const [folder, ...more] = positionals;
  if (folder === undefined) throw new UsageError(`name the folder: kodiai ${verb} DIR`);
  noMore(more);
  return { folder, json: values.json === true, ports: backupPorts(values["data-dir"]) };
}

async function finishing(work: () => Promise<void>): Promise<ExitCode> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    console.error(terminalText(`kodiai: ${error.message}`));
    return 3;
  }
}

function line({ name, bytes, schema, sha256 }: BackedUp): string {
  return `${name.padEnd(10)} ${bytes} bytes, schema ${schema}, sha256 ${sha256}`;
}
