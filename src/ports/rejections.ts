// What the corridors may ask about findings of other pull requests: what was declined, and what code was spoken about. All
// methods may throw `Transient`, and Error where there is no memory.
import type { Flagged } from "../domain/code/flagged-code.ts";
import type { RejectedMemory, Rejection } from "../domain/memory/rejections.ts";
import type { RepoKey } from "../domain/memory.ts";

/** Reads what people declined in a repository. */
export interface PastRejections {
  /** Every declined memory of the repository, newest decline first, at most 5,000. */
  rejected(repo: RepoKey): Promise<readonly RejectedMemory[]>;
}

/** Writes down what people declined. Who may is decided by whoever calls. */
export interface Rejecting {
  /** A second decline of the same finding by the same person takes the place of the first. False when there is no such memory. */
  reject(repo: RepoKey, memoryId: string, rejection: Rejection): Promise<boolean>;
  /** Takes all declines of a memory back; returns how many there were. */
  restore(repo: RepoKey, memoryId: string): Promise<number>;
}

/** Reads the code that findings were about. */
export interface PastCode {
  /**
   * Findings of other pull requests whose code begins like some of this; the newest first, at most 2,000.
   *
   * @param keys see `beginnings`
   * @param exceptPull the pull request that asks
   */
  flagged(repo: RepoKey, keys: readonly number[], exceptPull: number): Promise<readonly Flagged[]>;
}

/** What a review tells about the code of its findings. */
export interface FlaggedNow {
  /** Said now, by memory id. */
  readonly said: readonly {
    readonly memoryId: string;
    readonly rule: string | null;
    readonly shape: Flagged["shape"];
  }[];
  /** Memory ids of findings that stand: what was taken for fixed is not. */
  readonly standing: readonly string[];
  /** Memory ids of findings whose code is gone. */
  readonly fixed: readonly string[];
}

/** Keeps the code that findings were about. */
export interface FlaggedCode {
  /** Twice changes nothing more: what was fixed before keeps its date. What memory does not know is left out. `at` is epoch milliseconds. */
  keep(repo: RepoKey, now: FlaggedNow, at: number): Promise<void>;
}
