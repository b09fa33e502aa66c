import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteLedger } from "../../../src/adapters/sqlite/ledger.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { ledgerContract } from "../contracts/ledger.ts";

ledgerContract("the SQLite ledger", () => sqliteLedger(openDatabase(":memory:", QUEUE_MIGRATIONS)));
