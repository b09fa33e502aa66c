import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileKinds } from "../../src/analyze/analyze.ts";
import { risks } from "../../src/analyze/risk.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";
import type { DiffLine, FileDiff } from "../../src/domain/pull-request.ts";
import { addedHunk, aFileDiff } from "../builders/file-diff.ts";

const kindOf = fileKinds(defaultConfig().fileKinds);

function changed(path: string, added: readonly string[] = [], around: readonly DiffLine[] = []): FileDiff {
  const hunk = addedHunk(10, added);
  return aFileDiff(path, [{ ...hunk, lines: [...hunk.lines, ...around] }], { additions: added.length, deletions: 0 });
}

function of(...files: readonly FileDiff[]) {
  return risks(
    files,
    files.map(({ path }) => ({ path, language: "unknown", kind: kindOf(path) })),
  );
}

const ids = (...files: readonly FileDiff[]) => of(...files).map((risk) => risk.id);

describe("paths", () => {
  test.each([
    ["src/lib/auth/index.ts", ["authentication"]],
    ["src/auth-service.ts", ["authentication"]],
    ["app/UserAuthController.php", ["authentication"]],
    ["config/credentials.yml", ["credentials"]],
    ["src/api_key.ts", ["credentials"]],
    ["src/ApiKeyStore.java", ["credentials"]],
    ["certs/server.pem", ["credentials"]],
    ["packages/web/package.json", ["dependencies"]],
    ["api/go.mod", ["dependencies"]],
    ["requirements/dev.txt", ["dependencies"]],
    ["src/App.csproj", ["dependencies"]],
    [".github/workflows/release.yml", ["infrastructure"]],
    ["db/migrations/0001_init.py", ["schema"]],
    ["src/user_schema.ts", ["schema"]],
    ["src/authors.ts", []],
    ["lib/authorList.rb", []],
    ["src/tokenizer.ts", []],
    ["src/secretary.ts", []],
    ["src/design/tokens.ts", []],
    ["docs/authentication.md", []],
    ["src/constructor", []],
  ])("%s raises %j", (path, expected) => {
    expect(ids(changed(path))).toEqual(expected);
  });

  test("a lock file that is not reviewed still changes dependencies, a vendored one does not", () => {
    const left = [
      { path: "web/yarn.lock", reason: "lock file" },
      { path: "vendor/x/go.sum", reason: "vendored" },
      { path: "src/auth/logo.png", reason: "binary" },
    ];
    expect(risks([], [], left)).toEqual([
      { id: "dependencies", text: "changes dependency manifests", evidence: [{ path: "web/yarn.lock", line: null }] },
    ]);
  });
});

describe("added lines", () => {
  test.each([
    ["  } catch (error) {", "error-handling"],
    ["\tif err != nil {", "error-handling"],
    ["except ValueError as e:", "error-handling"],
    ['    throw new Error("no");', "error-handling"],
    ["let file = File::open(path).unwrap();", "error-handling"],
    ["const hash = await bcrypt(password, 12);", "cryptography"],
    ['const digest = crypto.createHash("sha256");', "cryptography"],
    ["token = jwt.sign({ id }, key)", "cryptography"],
    ["var mu sync.Mutex", "concurrency"],
    ["await Promise.all(jobs)", "concurrency"],
    ["go func() {", "concurrency"],
    ["const response = await fetch(url);", "network"],
    ["resp = requests.get(url)", "network"],
    ["data = pickle.loads(blob)", "deserialization"],
    ["conf = yaml.load(stream)", "deserialization"],
  ] as const)("%j is a reason: %s", (line, id) => {
    expect(ids(changed("src/a.ts", [line]))).toContain(id);
  });

  test.each([
    "design tokens for the assignment",
    "a significant redesign",
    "assign x to y",
    "const rehash = cataloguing;",
    "// raise the limit when the signature of the method changes",
    "Math.sign(delta)",
    "const prefetch = fetcher;",
    "const parsed = JSON.parse(text);",
    "catchphrase, exceptional, rescued",
    "aesthetic and parse",
  ])("%j is none", (line) => {
    expect(ids(changed("src/a.ts", [line]))).toEqual([]);
  });

  test("context and removed lines never count", () => {
    const around: DiffLine[] = [
      { kind: "context", oldLine: 1, newLine: 1, text: "} catch (error) {" },
      { kind: "removed", oldLine: 2, newLine: null, text: "decrypt(secret);" },
    ];
    expect(ids(changed("src/a.ts", ["const a = 1;"], around))).toEqual([]);
  });

  test("prose about cryptography is not cryptography", () => {
    expect(ids(changed("docs/security.md", ["We encrypt with AES and catch (errors)."]))).toEqual([]);
  });
});

describe("the list", () => {
  test("evidence names path and head line, at most twenty places, and the order is fixed", () => {
    const many = changed(
      "src/a.ts",
      Array.from({ length: 50 }, () => "fetch(url).catch(stop)"),
    );
    const found = of(changed("package.json"), changed("src/z.ts", ["encrypt(x)"]), many, changed("src/login.ts"));
    expect(found.map((risk) => risk.id)).toEqual([
      "authentication",
      "dependencies",
      "error-handling",
      "cryptography",
      "network",
    ]);
    expect(found.find((risk) => risk.id === "cryptography")?.evidence).toEqual([{ path: "src/z.ts", line: 10 }]);
    expect(found.find((risk) => risk.id === "network")?.evidence).toHaveLength(20);
  });

  test("from the 201st file on lines are not read, and a risk says so", () => {
    const files = Array.from({ length: 201 }, (_, index) =>
      changed(`src/f${index}.ts`, index === 200 ? ["encrypt(x)"] : []),
    );
    expect(of(...files)).toEqual([
      {
        id: "truncated",
        text: "has more files than were read for risks",
        evidence: [{ path: "src/f200.ts", line: null }],
      },
    ]);
    expect(ids(...files.slice(1))).toEqual(["cryptography"]);
  });

  test("never throws, for any line of any length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (path, text) => {
        expect(() => of(changed(path, [text, text.repeat(50)]))).not.toThrow();
      }),
    );
    for (const piece of ["a", "throw ", "raise a", "sha", "curl_", "go ", " ", "requests."]) {
      expect(of(changed("src/a.ts", [piece.repeat(1 << 17)])).length).toBeLessThan(3);
    }
  });
});
