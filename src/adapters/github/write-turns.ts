// Writes of one installation go one after the other, a second after the end of the last: by each process in the order in which they
// came, and by all processes of the store in turns.
import { Transient } from "../../domain/errors.ts";
import type { InstallationPace, WriteTurn } from "../../ports/writes.ts";

/** GitHub asks to make requests serially, and to wait a second between writes: docs.github.com, "Best practices for using the REST API". */
export const APART_MS = 1_000;
/** The longest request (see guardedFetch) and a second. */
const LONGEST_MS = 31_000;
/** Between two looks at a turn that is another's. */
const LOOK_MS = 100;
/** Tries to give a turn back, at most a lock's wait each; then it frees itself. */
const TRIES = 3;

/** Asked right before the request is sent: rejects with Transient when the turn ran out meanwhile and is another's. */
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
    const taken = turn;
    try {
      return await write(() => keep(taken));
    } finally {
      await giveBack(taken);
    }
  }

  async function keep(turn: WriteTurn): Promise<void> {
    if (!(await pace.keepTurn(turn, LONGEST_MS)))
      throw new Transient("its turn to write ran out before it was sent, and is another's");
  }

  /** Whatever came of the write is not changed by this. */
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

/** Writes at once, whoever else writes. */
export function unpacedWrites(): WriteTurns {
  return { take: (_installationId, write) => write(() => Promise.resolve()) };
}
