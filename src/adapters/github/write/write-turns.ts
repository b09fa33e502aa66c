// Writes of one installation run one after the other, a second apart: in each process in the order of their arrival, and in all
// processes of the store in turns.
import { Transient } from "../../../domain/errors.ts";
import type { InstallationPace, WriteTurn } from "../../../ports/writes.ts";

/** GitHub asks to make requests serially, and to wait a second between writes: docs.github.com, "Best practices for using the REST API". */
export const APART_MS = 1_000;
/** The longest request (see guardedFetch) and a second. */
const LONGEST_MS = 31_000;
/** Between two checks of a turn that another process has. */
const LOOK_MS = 100;
/** Attempts to give a turn back, each at most as long as a lock's wait; then it expires by itself. */
const TRIES = 3;

/** Runs right before the request is sent: rejects with Transient when the turn expired and another process has it. */
export type KeepTurn = () => Promise<void>;

export interface WriteTurns {
  /** Runs `write` when it is this installation's turn. Rejects as `write` does, and with Transient when the store does not answer. */
  take<T>(installationId: number, write: (keep: KeepTurn) => Promise<T>): Promise<T>;
}

/** @param wait resolves after so many milliseconds */
export function writeTurns(
  pace: Pick<InstallationPace, "takeTurn" | "keepTurn" | "endTurn">,
  wait: (ms: number) => Promise<unknown>,
): WriteTurns {
  const last = new Map<number, Promise<void>>();

  async function alone<T>(installationId: number, write: (keep: KeepTurn) => Promise<T>): Promise<T> {
    let turn = await pace.takeTurn(installationId, LONGEST_MS);
    while (turn === null) {
      await wait(LOOK_MS);
      turn = await pace.takeTurn(installationId, LONGEST_MS);
    }
    const current = turn;
    try {
      return await write(() => keep(current));
    } finally {
      await giveBack(current);
    }
  }

  async function keep(turn: WriteTurn): Promise<void> {
    if (!(await pace.keepTurn(turn, LONGEST_MS)))
      throw new Transient("the turn to write expired before the request was sent");
  }

  /** Never changes the result of the write. */
  async function giveBack(turn: WriteTurn): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        return await pace.endTurn(turn, APART_MS);
      } catch (error) {
        if (!(error instanceof Transient)) return;
        await wait(LOOK_MS);
      }
    }
  }

  return {
    take(installationId, write) {
      const mine = (last.get(installationId) ?? Promise.resolve()).then(() => alone(installationId, write));
      const settled = mine.then(forget, forget);
      last.set(installationId, settled);
      function forget(): void {
        if (last.get(installationId) === settled) last.delete(installationId);
      }
      return mine;
    },
  };
}

/** Writes at once, without turns. */
export function unpacedWrites(): WriteTurns {
  return { take: (_installationId, write) => write(() => Promise.resolve()) };
}
