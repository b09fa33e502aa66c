// A process of its own that writes without a pause: each transaction makes one row in each of two tables, alike.
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";

const db = openDatabase(process.argv[2] ?? "", QUEUE_MIGRATIONS);
const write = db.transaction((n: number) => {
  db.prepare("INSERT INTO deliveries VALUES (?, 'push', ?, 'ignored', 'load')").run(`load-${n}`, n);
  db.prepare("INSERT INTO redeliveries VALUES (?, ?)").run(`load-${n}`, n);
});
let n = 0;
const timer = setInterval(() => write.immediate(n++), 5);
process.on("SIGTERM", () => clearInterval(timer));
process.stdout.write("writing\n");
