// The marker of something of ours: whoever copies one, or knows all but the secret, has none for
// another place.
import { expect, test } from "vitest";
import { signWrite } from "../../../src/adapters/github/write/find-post.ts";
import type { Wanted } from "../../../src/ports/writes.ts";

const SECRET = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n";
const WANTED: Wanted = {
  installationId: 1001,
  repo: { host: "github.com", id: 42, ownerId: 5, owner: "acme", name: "shop", visibility: "private" },
  number: 7,
  headSha: "a".repeat(40),
  kind: "review",
  subject: "",
};

test("a marker is 32 hex digits, the same each time, for any line ends in the key", () => {
  expect(signWrite(SECRET, WANTED)).toMatch(/^[0-9a-f]{32}$/);
  expect(signWrite(SECRET.replaceAll("\n", "\r\n"), WANTED)).toBe(signWrite(SECRET, WANTED));
});

test("a repository keeps its markers when it is renamed or goes to another owner", () => {
  const moved = { ...WANTED, repo: { ...WANTED.repo, owner: "globex", ownerId: 6, name: "store" } };
  expect(signWrite(SECRET, moved)).toBe(signWrite(SECRET, WANTED));
});

test("another host, repository, pull request, head, kind, subject or secret has another marker [T26]", () => {
  const others: readonly Wanted[] = [
    { ...WANTED, repo: { ...WANTED.repo, host: "github.example.com" } },
    { ...WANTED, repo: { ...WANTED.repo, id: 43 } },
    { ...WANTED, number: 8 },
    { ...WANTED, headSha: "b".repeat(40) },
    { ...WANTED, kind: "summary" },
    { ...WANTED, subject: "fnd_0a1b2c3d4e5f" },
  ];
  const markers = [signWrite("another secret", WANTED), ...[WANTED, ...others].map((one) => signWrite(SECRET, one))];
  expect(new Set(markers).size).toBe(markers.length);
});
