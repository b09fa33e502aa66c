// Schema of the log of retrievals.
import type { MigrationPart } from "./migrate.ts";

/** Append only: a released step is never edited. Flags are 0 and 1, lists are JSON, as in every store's log. */
export const RETRIEVAL_PART: MigrationPart = {
  part: "retrievals",
  steps: [
    `
  CREATE TABLE retrievals (
    row              bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id               text COLLATE "C" NOT NULL UNIQUE,
    repo             text NOT NULL,
    repo_name        text NOT NULL,
    pull             bigint,
    origin           text NOT NULL,
    query            text COLLATE "C" NOT NULL,
    method           text NOT NULL,
    searched         smallint NOT NULL,
    ids              text NOT NULL,
    scores           text NOT NULL,
    distances        text NOT NULL,
    rerank_scores    text NOT NULL,
    results          int NOT NULL,
    retrieval_ms     double precision NOT NULL,
    rerank_ms        double precision,
    scanned          bigint NOT NULL,
    candidates       bigint NOT NULL,
    embedded_texts   int NOT NULL,
    embedded_cached  int NOT NULL,
    embedding_tokens bigint NOT NULL,
    embedding_usd    double precision NOT NULL,
    rerank           text,
    tokens           bigint NOT NULL,
    usd              double precision NOT NULL,
    gate_retrieve    smallint NOT NULL,
    gate_by          text NOT NULL,
    gate_confidence  double precision NOT NULL,
    shadow           smallint NOT NULL,
    shadow_hits      int NOT NULL,
    degraded         text NOT NULL,
    average_distance double precision,
    language_match   double precision,
    top_k            int NOT NULL,
    threshold        double precision NOT NULL,
    calibrated       double precision NOT NULL,
    created_at       bigint NOT NULL
  );
  CREATE INDEX retrievals_by_age ON retrievals (created_at);
  CREATE INDEX retrievals_by_repo ON retrievals (repo);
  `,
  ],
};
