/** Somebody asked us to stop: the work ends where it is, and nothing more is written. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}
