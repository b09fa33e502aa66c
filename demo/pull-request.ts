// The demo's pull request: a plausible feature, written in a hurry, with defects that a reviewer
// should find. Secrets and conflict markers are assembled at run time, so that scanners do not
// report this file.
import { BASE } from "./repository.ts";

const PASSWORD = ["kV9r", "tqLm", "W2xz7"].join("");
const CONFLICT = { ours: `${"<".repeat(7)} HEAD`, between: "=".repeat(7), theirs: `${">".repeat(7)} feat/sign-in` };

/**
 * The file's text with one passage replaced; throws when the passage is missing, so that the two
 * files cannot drift apart.
 */
function edited(path: string, from: string, to: string): string {
  const text = BASE[path] ?? "";
  if (!text.includes(from)) throw new Error(`${path} no longer contains: ${from}`);
  return text.replace(from, () => to);
}

/** `src/profile.ts` is not part of the change and calls `rename` with the old arguments. */
const USERS_TS = edited(
  "src/users.ts",
  "export async function rename(db: Database, id: number, name: string): Promise<void> {",
  `export async function personByEmail(db: Database, email: string): Promise<Person | undefined> {
  const rows = await db.query(\`SELECT id, email, name FROM people WHERE email = '\${email}'\`);
  return rows[0] as Person | undefined;
}

export async function rename(db: Database, session: Session, id: number, name: string): Promise<void> {
  audit(session);`,
).replace('"./database.ts";', () => '"./database.ts";\nimport { audit, type Session } from "./sessions.ts";');

const PASSWORDS_TS = `import { createHash, timingSafeEqual } from "node:crypto";

const MINIMUM_LENGTH = 12;

/** True when a new password is long enough to be taken. */
export function isLongEnough(password: string): boolean {
  return password.length >= MINIMUM_LENGTH;
}

export function hashPassword(password: string): string {
  return createHash("md5").update(password).digest("hex");
}

export function isSamePassword(password: string, passwordHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashPassword(password)), Buffer.from(passwordHash));
}
`;

const SESSIONS_TS = `import { Agent, request } from "node:https";

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

export interface Session {
  readonly person: number;
  readonly expiresAt: number;
}

/** Tells the audit log who signed in. */
export function audit(session: Session): void {
  try {
    const call = request("https://audit.example.com/sign-ins", { agent, method: "POST" });
    call.end(JSON.stringify(session));
  } catch (error) {
  }
}

export function isExpired(session: Session, now: number): boolean {
  return session.expiresAt <= now;
}
`;

const SESSIONS_TEST_TS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { isExpired } from "../src/sessions.ts";

test.only("a session ends when its time has come", () => {
  assert.equal(isExpired({ person: 7, expiresAt: 1000 }, 1000), true);
});

test("a session lives until then", () => {
  assert.equal(isExpired({ person: 7, expiresAt: 1000 }, 999), false);
});
`;

const INVITE_PY = `"""Invites a person by mail."""

import subprocess

import requests


def invite(email: str, inviter: str) -> bool:
    answer = requests.post("https://mail.example.com/send", json={"to": email, "from": inviter}, verify=False)
    return answer.status_code == 202


def archive(name: str) -> None:
    subprocess.run(f"tar czf /var/backups/{name}.tgz invites/{name}", shell=True)


def forget(email: str, invites: dict[str, str]) -> None:
    try:
        del invites[email]
    except Exception:
        pass
`;

const STORE_GO = edited(
  "exporter/store.go",
  "// Open lists",
  `// ByNumber finds the invoice with a number such as 2026-0017.
func ByNumber(ctx context.Context, db *sql.DB, number string) (Invoice, error) {
	query := fmt.Sprintf("SELECT id, cents FROM invoices WHERE number = '%s'", number)
	var invoice Invoice
	err := db.QueryRowContext(ctx, query).Scan(&invoice.ID, &invoice.Cents)
	return invoice, err
}

// Open lists`,
).replace('\t"database/sql"\n', () => '\t"database/sql"\n\t"fmt"\n');

const CLIENT_GO = `package exporter

import (
	"crypto/tls"
	"net/http"
	"time"
)

// NewClient talks to the bookkeeper's server.
func NewClient() *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}
`;

const PASSWORDS_SQL = `ALTER TABLE people ADD COLUMN password_hash text NOT NULL;
`;

const SESSIONS_SQL = `CREATE TABLE sessions (
  token text PRIMARY KEY,
  person_id bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_person_id ON sessions (person_id);
`;

const GREET_YML = `name: greet
on: pull_request_target
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "Thank you for ${"$"}{{ github.event.pull_request.title }}"
`;

const SIGN_IN_MD = `# Signing in

People sign in with their e-mail address and a password of at least 12 characters.
The lifetime of a session is set in \`config/settings.yml\`.
`;

const SETTINGS_YML = `# Read at start; every key can be overridden by an environment variable.
database:
  host: db.internal
  user: ledger
  password: "${PASSWORD}"
session:
${CONFLICT.ours}
  lifetimeHours: 720
${CONFLICT.between}
  lifetimeHours: 12
${CONFLICT.theirs}
`;

const PEOPLE_TEST_TS = `${BASE["test/users.test.ts"]}
test("a name is trimmed before it is stored", async () => {
  const asked: unknown[] = [];
  const db = { query: async (_text: string, values?: readonly unknown[]) => [asked.push(...(values ?? []))] };
  await rename(db, { person: 7, expiresAt: 1000 }, 7, "  Ada ");
  assert.deepEqual(asked, ["Ada", 7]);
});
`.replace("{ personById }", "{ personById, rename }");

export const PULL_REQUEST = {
  title: "feat(auth): sign in with a password",
  body: [
    "People could only be looked up by id; now they sign in.",
    "",
    "- passwords are hashed, sessions live in a table of their own",
    "- invitations go out by mail, sign-ins and new names go to the audit log",
    "- the exporter finds an invoice by its number",
    "",
    "Closes #12",
  ].join("\n"),
  author: "mona",
  branch: "feat/sign-in",
  /** Path → text on the head. */
  files: {
    "src/users.ts": USERS_TS,
    "src/passwords.ts": PASSWORDS_TS,
    "src/sessions.ts": SESSIONS_TS,
    "src/generated/api.ts": edited(
      "src/generated/api.ts",
      "export interface",
      'export type Method = "get" | "post";\nexport interface',
    ),
    "test/users.test.ts": PEOPLE_TEST_TS,
    "test/sessions.test.ts": SESSIONS_TEST_TS,
    "worker/invite.py": INVITE_PY,
    "exporter/store.go": STORE_GO,
    "exporter/client.go": CLIENT_GO,
    "db/migrations/002_passwords.sql": PASSWORDS_SQL,
    "db/migrations/003_sessions.sql": SESSIONS_SQL,
    ".github/workflows/greet.yml": GREET_YML,
    "config/settings.yml": SETTINGS_YML,
    "docs/sign-in.md": SIGN_IN_MD,
    "README.md": edited("README.md", "`worker/` sends reports.", "`worker/` sends reports and invitations."),
    "package.json": edited("package.json", '"pg": "8.23.1"', '"cookie": "1.1.1",\n    "pg": "8.23.1"'),
    "package-lock.json": edited(
      "package-lock.json",
      '"node_modules/pg"',
      '"node_modules/cookie": { "version": "1.1.1" },\n    "node_modules/pg"',
    ),
  } as Readonly<Record<string, string>>,
};
