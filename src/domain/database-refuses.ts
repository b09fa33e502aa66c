/** The database cannot be used as it is named. The message names the variable, and says what the operator must mend there or at the server. */
export class DatabaseRefuses extends Error {
  override readonly name = "DatabaseRefuses";
  constructor(why: string) {
    super(`DATABASE_URL: ${why}`);
  }
}
