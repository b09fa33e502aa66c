import { isolationContract } from "../contracts/isolation.ts";
import { openSqliteShelf } from "./open-shelf.ts";

/** 10,000 take some minutes. */
const LIVES = process.env.SLOW === "1" ? 10_000 : 300;
if (process.env.SLOW !== "1") console.warn("skipped: 9,700 of 10,000 lives of repositories; SLOW=1 runs all");

isolationContract("SQLite", openSqliteShelf, LIVES);
