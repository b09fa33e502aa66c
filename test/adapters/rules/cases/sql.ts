// More cases of rules about sql, by rule.
import type { Cases } from "../rule-cases.ts";

const MIGRATION = "db/migrations/20260102_change.sql";

export const SQL: Cases = {
  "sql-drops-data": {
    bad: [{ path: MIGRATION, code: "ALTER TABLE users\n  DROP COLUMN email;" }],
    good: [
      { path: "db/migrations/20260102_change.down.sql", code: "DROP TABLE orders;" },
      { path: MIGRATION, code: "DROP TABLE pg_temp.scratch;\n-- DROP TABLE users;\nALTER TABLE a DROP CONSTRAINT b;" },
    ],
  },
  "sql-write-without-where": {
    bad: [{ path: MIGRATION, code: "UPDATE users SET role = 'admin';" }],
    good: [
      { path: MIGRATION, code: "UPDATE users\nSET role = 'admin'\nWHERE id = 1;" },
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN role text;\nUPDATE users SET role = 'user';" },
      { path: MIGRATION, code: "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM sessions; $$ LANGUAGE sql;" },
    ],
  },
  "sql-not-null-without-default": {
    bad: [{ path: MIGRATION, code: "ALTER TABLE users\n  ADD COLUMN plan varchar(20) NOT NULL;" }],
    good: [
      { path: MIGRATION, code: "CREATE TABLE users (id int);\nALTER TABLE users ADD COLUMN plan text NOT NULL;" },
      { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN id serial NOT NULL;" },
    ],
  },
  "sql-index-locks-table": {
    bad: [{ path: "postgres/migrations/2.sql", code: "CREATE UNIQUE INDEX orders_ref ON public.orders (ref);" }],
    good: [
      {
        path: MIGRATION,
        code: "CREATE TABLE orders (tags jsonb);\nCREATE INDEX orders_tags ON orders USING gin (tags);",
      },
      { path: "mysql/migrations/2.sql", code: "CREATE INDEX orders_ref ON orders (ref);" },
    ],
  },
  "sql-grants-everything": {
    bad: [{ path: MIGRATION, code: "GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;" }],
    good: [{ path: MIGRATION, code: "GRANT ALL ON TABLE orders TO owner_role;" }],
  },
};
