// Reads the shared fixtures of secretlint and the rules of gitleaks; null (said aloud) where they
// are absent.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface SecretFixture {
  readonly rule: string;
  readonly case: string;
  readonly label: string;
  readonly text: string;
}

function shared(name: string): string | null {
  const path = resolve(process.cwd(), "../shared/bad-inputs", name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  console.warn(`SKIPPED: ${name} is not there; the shared bad inputs are needed for this test`);
  return null;
}

/** JSON lines of a shared file, or null. */
export function sharedRows<T>(name: string): readonly T[] | null {
  const text = shared(name);
  return text === null
    ? null
    : text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as T);
}

export function secretFixtures(): readonly SecretFixture[] | null {
  const rows = sharedRows<{ rule: string; case: string; label: string; b64: string }>(
    "secrets/secretlint_fixtures.jsonl",
  );
  return rows === null
    ? null
    : rows.map(({ b64, ...row }) => ({ ...row, text: Buffer.from(b64, "base64").toString("utf8") }));
}

export interface GitleaksRule {
  readonly id: string;
  readonly regex: string;
  readonly entropy: number;
  /** Words whose presence makes a value innocent, in gitleaks' own judgement. */
  readonly stopwords: readonly string[];
}

/** Rules of gitleaks.toml that read content: id, RE2 pattern, least entropy. */
export function gitleaksRules(): readonly GitleaksRule[] | null {
  const text = shared("secrets/gitleaks.toml");
  if (text === null) return null;
  return text
    .split("[[rules]]")
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "([^"]+)"/m.exec(block)?.[1];
      const regex = /^regex = '''([\s\S]*?)'''/m.exec(block)?.[1];
      if (id === undefined || regex === undefined) return [];
      const list = /^stopwords = \[([\s\S]*?)^\]/m.exec(block)?.[1] ?? "";
      const stopwords = Array.from(list.matchAll(/"([^"]+)"/g), ([, word]) => word ?? "");
      return [{ id, regex, entropy: Number(/^entropy = ([\d.]+)/m.exec(block)?.[1] ?? 0), stopwords }];
    });
}
