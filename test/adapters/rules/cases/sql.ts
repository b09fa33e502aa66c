// Cases of rules about sql, by rule.
import type { Cases } from "../rule-cases.ts";

const MIGRATION = "db/migrations/20260102_change.sql";

export const SQL: Cases = {
  "sql-drops-data": {
    bad: [
      { path: MIGRATION, code: "DROP TABLE orders;" },
      { path: MIGRATION, code: "ALTER TABLE users\n  DROP COLUMN email;" },
    ],
    good: [
      { path: MIGRATION, code: "DROP TABLE IF EXISTS orders;\nCREATE TABLE orders (id bigint);" },
      { path: "db/migrations/20260102_change.down.sql", code: "DROP TABLE orders;" },
      { path: MIGRATION, code: "DROP TABLE pg_temp.scratch;\n-- DROP TABLE users;\nALTER TABLE a DROP CONSTRAINT b;" },
    ],
  },
  "sql-write-without-where": {
    bad: [
      { path: MIGRATION, code: "DELETE FROM sessions;" },
      { path: MIGRATION, code: "UPDATE users SET role = 'admin';" },
    ],
    good: [
      { path: MIGRATION, code: "DELETE FROM sessions WHERE expires_at < now();" },
      { path: MIGRATION, code: "UPDATE users\nSET role = 'admin'\nWHERE id = 1;" },
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN role text;\nUPDATE users SET role = 'user';" },
      { path: MIGRATION, code: "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM sessions; $$ LANGUAGE sql;" },
    ],
  },
  "sql-not-null-without-default": {
    bad: [
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN plan text NOT NULL;" },
      { path: MIGRATION, code: "ALTER TABLE users\n  ADD COLUMN plan varchar(20) NOT NULL;" },
    ],
    good: [
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN plan text NOT NULL DEFAULT 'free';" },
      { path: MIGRATION, code: "CREATE TABLE users (id int);\nALTER TABLE users ADD COLUMN plan text NOT NULL;" },
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN id serial NOT NULL;" },
    ],
  },
};
