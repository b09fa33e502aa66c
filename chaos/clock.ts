// The clock on the wall of one server under test: it can be stepped while the server runs, as NTP
// and administrators do. What has passed since the machine started (the monotonic clock) goes on:
// no kernel steps that.
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface WallClock {
  /** For the environment of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** For its command line, before its program. */
  readonly args: readonly string[];
  /** Milliseconds by which it is ahead of the true time; negative where it is behind. */
  readonly offset: () => number;
  /**
   * Sets it. Every process that reads it sees that within about a second, also one that starts
   * later.
   */
  set(offsetMs: number): void;
}

/** Where Debian's and Fedora's packages put it. */
const LIBRARIES = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib64/faketime/libfaketimeMT.so.1",
];
const SHIFT = new URL("./clock-shift.mjs", import.meta.url).href;

/**
 * `libfaketime` shifts what every library of the process reads, SQLite's and OpenSSL's too; `Date`
 * only what JavaScript does.
 */
export function clockMeans(): "libfaketime" | "Date" {
  return libraryPath() === null ? "Date" : "libfaketime";
}

/**
 * @param folder has the file from which the server reads its time
 * @param name of that file
 * @param library of libfaketime; null does with JavaScript's `Date`
 */
export function openClock(folder: string, name: string, library: string | null = libraryPath()): WallClock {
  const file = join(folder, name);
  let offset = 0;
  const set = (ms: number) => {
    offset = ms;
    // libfaketime: relative, in seconds. Renamed, so that no process reads half of it.
    writeFileSync(`${file}.new`, `${ms < 0 ? "-" : "+"}${Math.abs(ms) / 1000}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  const env: Readonly<Record<string, string>> =
    library === null
      ? { CHAOS_CLOCK: file }
      : {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: file,
          FAKETIME_CACHE_DURATION: "1",
          FAKETIME_DONT_FAKE_MONOTONIC: "1",
          NO_FAKE_STAT: "1",
        };
  return { env, args: library === null ? ["--import", SHIFT] : [], offset: () => offset, set };
}

function libraryPath(): string | null {
  return LIBRARIES.find((path) => existsSync(path)) ?? null;
}
