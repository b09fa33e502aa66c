/** What is kept cannot be used, and another try would not change that. The message says why, and what the operator can do. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}
