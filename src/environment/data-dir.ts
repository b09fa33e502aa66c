import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { userFolder } from "./user-folder.ts";

/**
 * The command line's data folder: `--data-dir`, else KODIAI_DATA_DIR, else the user's data folder.
 *
 * @throws Error without any
 */
export function dataDir(word: string | undefined): string {
  const folder = dataDirIfAny(word);
  if (folder === null)
    throw new Error("there is no home folder to keep data in; set HOME or KODIAI_DATA_DIR, or add --data-dir");
  return folder;
}

/** As dataDir; null where a user without a home folder names none, and so has no store. */
export function dataDirIfAny(word: string | undefined): string | null {
  return word || process.env.KODIAI_DATA_DIR || userFolder("XDG_DATA_HOME", ".local", "share");
}

/** The store's place: the folder of `--data-dir`, else DATABASE_URL, else the folder as above. */
export function storePlace(word: string | undefined): string {
  return databaseUrl(word) ?? dataDir(word);
}

/** As storePlace; null as for dataDirIfAny. */
export function storePlaceIfAny(word: string | undefined): string | null {
  return databaseUrl(word) ?? dataDirIfAny(word);
}

function databaseUrl(word: string | undefined): string | null {
  const url = process.env.DATABASE_URL?.trim() ?? "";
  return word === undefined && url !== "" ? url : null;
}

/** Whether a place is the address of a PostgreSQL, and not a folder. */
export function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

/** A place for display: an address may contain a password. */
export function shownPlace(place: string): string {
  return isDatabase(place) ? "the database of DATABASE_URL" : place;
}

/**
 * Makes a data folder that only its owner can read.
 *
 * @throws Error with the path and the fix, and with the `code` of the system's error
 */
export function makeDataFolder(folder: string): void {
  attempt(folder, "written", () => {
    makeEach(resolve(folder));
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

/** One after the other: Node's own way never ends where a folder exists that takes no other. */
function makeEach(folder: string): void {
  if (isFolder(folder)) return;
  makeEach(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!isFolder(folder)) throw error;
  }
}

/**
 * Whether the folder exists.
 *
 * @throws Error as makeDataFolder, also for a folder that cannot be read
 */
export function isDataFolder(folder: string): boolean {
  return attempt(folder, "read", () => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  });
}

function attempt<T>(folder: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const fix = "set KODIAI_DATA_DIR or --data-dir to a folder that can";
    const failed = new Error(`the data folder ${folder} cannot be ${what} (${code}); ${fix}`, { cause: error });
    throw Object.assign(failed, { code });
  }
}

/** Whether a word names an existing folder. */
export function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;
}
