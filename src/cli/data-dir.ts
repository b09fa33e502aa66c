import { homedir } from "node:os";
import { join } from "node:path";

/** Where the command line keeps its files: `--data-dir`, else KODIAI_DATA_DIR, else the user's data folder. */
export function dataDir(word: string | undefined): string {
  return (
    word ??
    process.env.KODIAI_DATA_DIR ??
    join(process.env.XDG_DATA_HOME ?? join(homedir(), ".local", "share"), "kodiai")
  );
}
