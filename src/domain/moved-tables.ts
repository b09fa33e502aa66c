// The tables of a store as they are moved from one database to another: every column that is kept, in an order in which no row
// names one that is not there yet. What a process makes anew is not among them: kept vectors of queries, kept answers of a model, turns, running processes.

/** `flag` is 0 or 1, or a boolean; `list` is of texts; `vector` is of unit length; `signs` are those of its components, once rotated. */
export type MovedKind = "whole" | "real" | "text" | "flag" | "list" | "bytes" | "vector" | "signs";

export interface MovedTable {
  readonly name: string;
  /** Columns that tell rows apart and give them their order: whole numbers by size, texts byte by byte. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, MovedKind>>;
}

/** The columns' values in their order: a vector as half floats with the greater byte first, signs as bits, eight a byte. */
export type MovedRow = readonly (string | number | boolean | null | Uint8Array | readonly string[])[];

/** `id*` is a whole number; a mark after the name is its kind, no mark is text. */
const MARKS: Readonly<Record<string, MovedKind>> = {
  "*": "whole",
  "~": "real",
  "?": "flag",
  "{": "list",
  "#": "bytes",
  ">": "vector",
  "%": "signs",
};

function table(name: string, key: string, columns: string): MovedTable {
  const kinds = columns.split(" ").map((word): [string, MovedKind] => {
    const kind = MARKS[word.at(-1) ?? ""];
    return kind === undefined ? [word, "text"] : [word.slice(0, -1), kind];
  });
  return { name, key: key.split(" "), columns: Object.fromEntries(kinds) };
}

const MEMORY: readonly MovedTable[] = [
  table("repositories", "id", "id* host github_id owner_id* visibility full_name version* gives?"),
  table("spaces", "id", "id* model dimension*"),
  table(
    "records",
    "id",
    "id* repo* mem stale? pull* at* corpus language chunk_type category severity outcome path changed*",
  ),
  table(
    "contents",
    "id",
    "id* source_id repo_name text replies{ situation lesson tags{ symbol hunk url author author_is_bot? sha flagged_code fixed_code",
  ),
  table("vectors", "id", "id* repo* space* v>"),
  table("vector_bits", "id", "id* repo* space* b%"),
  table("words", "id", "id* repo* text path symbol hunk"),
  table("hashes", "id", "id* record embedded"),
  table("descriptions", "id", "id* by source confidence~ problems{"),
  table(
    "evidence",
    "id key",
    "id* key kind stance by_id* by_login by_access by_is_bot? by_first_time? at* text url sha withdrawn_at*",
  ),
  table("decided", "id", "id* outcome at* by reason sha weight"),
  table("rejections", "id by", "id* by is_writer? reason url at*"),
  table("against", "id by", "id* by reason url at* is_reaction?"),
  table("flagged", "id", "id* repo* key* rule before# at# after# fixed_at*"),
  table("taken", "id", "id* at*"),
  table("replays", "repo", "repo* at* pulls* comments* on_rate~ placebo~ low~ mean~ high~ model"),
];

const BOOKS: readonly MovedTable[] = [
  table(
    "retrievals",
    "row",
    `row* id repo repo_name pull* origin query method searched* ids scores distances rerank_scores results* retrieval_ms~
     rerank_ms~ scanned* candidates* embedded_texts* embedded_cached* embedding_tokens* embedding_usd~ rerank tokens* usd~
     gate_retrieve* gate_by gate_confidence~ shadow* shadow_hits* degraded average_distance~ language_match~ top_k*
     threshold~ calibrated~ created_at*`.replace(/\s+/g, " "),
  ),
  table("deliveries", "id", "id event received_at* outcome reason meaning"),
  table(
    "jobs",
    "id",
    "id* key lane job state attempt* run_at* outcome created_at* finished_at* token* deaths* repo installation_id*",
  ),
  table("reviews", "written", "written* key head_sha base_sha review written_at* settled_at* outcome"),
  table("paused", "key", "key by at*"),
  table("declined", "key finding", "key finding by reason at*"),
  table("answers", "id", "id* comment repo thread user_id* kind at*"),
  table("check_runs", "begun", "begun* id* key head_sha repo installation_id* fail_on begun_at* ending ended_at*"),
  table("push_waits", "repo", "repo ms*"),
  table("history", "repo", "repo progress"),
  table("looks", "key", "key at* closed?"),
  table("redeliveries", "id", "id at*"),
  table("watched", "repo", "repo at*"),
  table("old_heads", "key", "key head_sha"),
  table("moments", "name", "name at*"),
  table("spending", "id", "id* repo at* purpose input_tokens* output_tokens* usd~"),
  table("intents", "id", "id* key repo wanted identity marker state tries* sent_at* ended_at* post"),
];

export const MOVED_TABLES: readonly MovedTable[] = [...MEMORY, ...BOOKS];
