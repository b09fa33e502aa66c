/** Somebody else holds the job by now: whoever learns this stops and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor() {
    super("another process has taken the job");
  }
}
