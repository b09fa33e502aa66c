// kodiai backup DIR, kodiai restore DIR: copies the store of a running server, and restores a store from such a copy.
import { StoreUnusable } from "../domain/errors.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, noMore, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** A file of a backup. */
interface BackedUp {
  readonly name: string;
  readonly bytes: number;
  readonly schema: number;
  readonly sha256: string;
}

/** The ports of the command. Both throw StoreUnusable with what the operator can do. */
export interface BackupPorts {
  /** The data folder. */
  readonly folder: string;
  backUp(to: string): Promise<{ readonly files: readonly BackedUp[] }>;
  restore(from: string): Promise<{
    readonly manifest: { readonly at: number; readonly files: readonly BackedUp[] };
    readonly forgotten: readonly unknown[];
    readonly doubted: number;
  }>;
}

type Open = (word: string | undefined) => BackupPorts;

/** @returns 0; 3 when there is nothing to copy @throws UsageError */
export async function backup(words: readonly string[], open: Open): Promise<ExitCode> {
  const { folder, json, ports } = read("backup", words, open);
  return finishing(async () => {
    const { files } = await ports.backUp(folder);
    if (json) console.log(JSON.stringify({ version: 1, folder, files }, null, 2));
    else for (const file of files) console.log(terminalText(line(file)));
    if (!json) console.log(terminalText(`written and verified: ${folder}`));
  });
}

/** @returns 0; 3 when the backup is damaged or the data folder holds a store @throws UsageError */
export async function restore(words: readonly string[], open: Open): Promise<ExitCode> {
  const { folder, json, ports } = read("restore", words, open);
  return finishing(async () => {
    const { manifest, forgotten, doubted } = await ports.restore(folder);
    if (json) {
      console.log(JSON.stringify({ version: 1, ...manifest, forgotten: forgotten.length, doubted }, null, 2));
      return;
    }
    for (const file of manifest.files) console.log(terminalText(line(file)));
    const at = new Date(manifest.at).toISOString();
    console.log(terminalText(`restored into ${ports.folder} as of ${at}`));
    console.log(`deleted again: ${forgotten.length}; repositories to check on GitHub: ${doubted}`);
  });
}

function read(verb: string, words: readonly string[], open: Open) {
  const { values, positionals } = readWords(words, VERBS.backup.options);
  const [folder, ...more] = positionals;
  if (folder === undefined) throw new UsageError(`name the folder: kodiai ${verb} DIR`);
  noMore(more);
  return { folder, json: values.json === true, ports: open(values["data-dir"]) };
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
