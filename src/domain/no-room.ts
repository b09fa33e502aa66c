/** The process has no room for a change so large now: its job goes back to the queue, and the worker does something else. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";

  constructor() {
    super("it waits until a process has room for a large change");
  }
}
