// All parts of the schema that one database holds.
import { BOOK_PART } from "./book-schema.ts";
import { MEMORY_PART } from "./memory-schema.ts";
import type { MigrationPart } from "./migrate.ts";
import { QUEUE_PART } from "./queue-schema.ts";
import { RETRIEVAL_PART } from "./retrieval-schema.ts";

/** In the order in which they are run; a part names no table of a later one. */
export const PARTS: readonly MigrationPart[] = [MEMORY_PART, RETRIEVAL_PART, QUEUE_PART, BOOK_PART];
