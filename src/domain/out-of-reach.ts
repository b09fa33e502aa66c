/** `gone`: it does not exist, or not for us. `refused`: we may not. `suspended`: the installation is switched off. `unauthorised`: our credentials are not taken. */
export type Reach = "gone" | "refused" | "suspended" | "unauthorised";

/** GitHub's last word: asking again changes nothing. */
export class OutOfReach extends Error {
  override readonly name = "OutOfReach";
  readonly why: Reach;
  /** GitHub's status. */
  readonly status: number;

  constructor(why: Reach, status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
    this.status = status;
  }
}
