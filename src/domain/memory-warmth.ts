/** `off`: not opened; `cold`: the search thread does not run; `warming`: being read; `warm`: as much is read as is wanted. */
export interface MemoryWarmth {
  readonly state: "off" | "cold" | "warming" | "warm";
  /** Repositories and memories that are held for searching. */
  readonly repositories: number;
  readonly rows: number;
  /** What they take, and may take, for searching by words and by vectors together; absent before the threads have told. */
  readonly bytes?: number;
  readonly limitBytes?: number;
}
