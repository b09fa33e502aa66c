import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The command line's data folder: `--data-dir`, else KODIAI_DATA_DIR, else the user's data folder.
 *
 * @throws Error without any
 */
export function dataDir(word: string | undefined): string {
  return word ?? process.env.KODIAI_DATA_DIR ?? join(process.env.XDG_DATA_HOME ?? dataOfUser(), "kodiai");
}

function dataOfUser(): string {
  try {
    return join(homedir(), ".local", "share");
  } catch {
    // The system does not know the user, as in a container with a number for its user.
    throw new Error("there is no home folder to keep data in; set HOME or KODIAI_DATA_DIR, or add --data-dir");
  }
}

/** The place of the store: the folder of `--data-dir`, else the address in DATABASE_URL, else the folder as above. */
export function storePlace(word: string | undefined): string {
  const url = process.env.DATABASE_URL?.trim() ?? "";
  return word === undefined && url !== "" ? url : dataDir(word);
}

/** Whether a place is the address of a PostgreSQL, and not a folder. */
export function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

/** A place for display: an address may contain a password. */
export function shownPlace(place: string): string {
  return isDatabase(place) ? "the database of DATABASE_URL" : place;
}

/** Whether a word names an existing folder. */
export function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;
}
