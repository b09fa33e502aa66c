// The form that every evaluation suite has: data in, a table of rows out.

import type { Interval } from "../src/domain/figures/bootstrap-interval.ts";

/** Paired differences to another row over the same items, metric by metric. */
export interface Gain {
  readonly row: string;
  readonly gain: Readonly<Record<string, Interval>>;
}

/** One configuration's figures. Metrics are shares 0–1 unless the suite says otherwise. */
export interface Row {
  readonly name: string;
  /** How many items the figures rest on. */
  readonly n: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** 95 % intervals, [low, high], where the suite computes them. */
  readonly ci?: Readonly<Record<string, readonly [number, number]>>;
  readonly against?: Gain;
  /** Why there are no figures, or what they should be read with. Printed last. */
  readonly remark?: string;
}

export interface SuiteResult {
  /**
   * How many items were read, and what identifies them: sorted (name, sha256) of the files read.
   */
  readonly data: { readonly n: number; readonly fingerprint: string };
  readonly config: { readonly fingerprint: string };
  /** Which task or part of the data, where a suite has several: `G`, `G sample`. */
  readonly task?: string;
  readonly rows: readonly Row[];
  /** Lines for people: mistakes by kind, what was refused. Printed, not written to JSON. */
  readonly notes?: readonly string[];
  /** Metrics whose intervals the printed table shows; all when absent. JSON has every one. */
  readonly printIntervals?: readonly string[];
}

export interface SuiteOptions {
  /** Folder with the data. */
  readonly data: string;
  /** Everything after `--` options known to the runner: `--task G`, `--ablate`. */
  readonly flags: ReadonlyMap<string, string>;
}

export type Suite = (options: SuiteOptions) => Promise<SuiteResult>;
