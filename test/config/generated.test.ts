import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { exampleYaml } from "../../scripts/config-example.ts";
import { configurationMarkdown, environmentMarkdown } from "../../scripts/configuration-markdown.ts";
import { envExample } from "../../scripts/env-example.ts";
import { CONFIG_KEYS, configJsonSchema } from "../../src/config/config-keys.ts";
import { ENV_VARIABLES } from "../../src/config/environment/env-variables.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";

const run = promisify(execFile);

describe("generated files", () => {
  test("are fresh: what `npm run generate` would write is what is there", async () => {
    const { stderr } = await run(process.execPath, ["scripts/generate.ts", "--check"]);
    expect(stderr).toBe("");
  });

  test("a stale file is named, the check fails, and generating fixes it", async () => {
    const copy = mkdtempSync(join(tmpdir(), "kodiai-generate-"));
    try {
      const names = [
        "src",
        "scripts",
        "package.json",
        "docs/kodiai.schema.json",
        "docs/rules.md",
        "docs/commands.md",
        "docs/metrics.md",
        "docs/models.md",
        "deploy/grafana/kodiai.json",
        "docs/cli.md",
        "docs/permissions.md",
        "docs/internals/github.md",
        "app.yml",
        ".env.example",
      ];
      for (const name of [...names, "docs/configuration.md", "docs/environment.md", ".kodiai.yml.example"]) {
        cpSync(name, join(copy, name), { recursive: true });
      }
      for (const name of ["node_modules", "test"]) symlinkSync(join(process.cwd(), name), join(copy, name));
      writeFileSync(join(copy, "docs/configuration.md"), "# Old\n");
      const generate = (...args: string[]) => run(process.execPath, [join(copy, "scripts/generate.ts"), ...args]);
      await expect(generate("--check")).rejects.toMatchObject({
        code: 1,
        stderr: "docs/configuration.md is stale; run `npm run generate`\n",
      });
      expect((await generate()).stdout).toBe("wrote docs/configuration.md\n");
      expect(readFileSync(join(copy, "docs/configuration.md"), "utf8")).toBe(configurationMarkdown());
      await generate("--check");
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

describe("the example", () => {
  test("begins with the line that gives editors the schema", () => {
    expect(exampleYaml().split("\n", 1)).toEqual(["# yaml-language-server: $schema=./docs/kodiai.schema.json"]);
  });

  test("parses to exactly the defaults, without a problem", () => {
    const { config, problems } = parseConfig([{ file: ".kodiai.yml.example", text: exampleYaml() }]);
    expect(problems).toEqual([]);
    expect(config).toEqual(defaultConfig());
  });

  test("holds every key with its description", () => {
    const words = exampleYaml().replace(/\n *# /g, " ");
    for (const { path, description } of CONFIG_KEYS.filter((key) => !key.path.includes("[]"))) {
      expect(exampleYaml(), path).toMatch(new RegExp(`^ *(# )?${path.split(".").at(-1)}:`, "m"));
      expect(words, path).toContain(description);
    }
  });

  test("stays valid when its comments are uncommented", () => {
    const open = exampleYaml()
      .replace(/^( *)# (severityThreshold|_extends)/gm, "$1$2")
      .replace(/^version/m, "# version");
    const { config, problems } = parseConfig([{ file: "x", text: open }]);
    expect([config.review.severityThreshold, problems]).toEqual(["major", []]);
  });
});

describe("the JSON Schema", () => {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(configJsonSchema());

  test("accepts the example and every key's own example", () => {
    expect(validate(parse(exampleYaml()))).toBe(true);
    for (const { path, example } of CONFIG_KEYS.filter((key) => !key.path.includes("[]"))) {
      const value = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), example);
      expect(validate(value), path).toBe(true);
    }
  });

  test("refuses a misspelt key, a wrong word and a wrong number, and says where", () => {
    const complaint = (value: unknown) => {
      expect(validate(value)).toBe(false);
      return validate.errors?.map((error) => `${error.instancePath} ${error.message}`);
    };
    expect(complaint({ review: { profil: "quiet" } })).toEqual(["/review must NOT have additional properties"]);
    expect(complaint({ review: { profile: "chill" } })).toEqual([
      "/review/profile must be equal to one of the allowed values",
    ]);
    expect(complaint({ review: { maxComments: 21 } })).toEqual(["/review/maxComments must be <= 20"]);
    expect(complaint({ _extends: "acme/x" })?.[0]).toMatch(/^\/_extends must match pattern/);
  });
});

describe("the documents", () => {
  test("hold every key with type, default and meaning, and an example of it", () => {
    const page = configurationMarkdown();
    for (const { path, description, example } of CONFIG_KEYS) {
      const line = page.split("\n").find((text) => text.startsWith(`| \`${path}\` `));
      expect(line, path).toContain(description);
      expect(
        line?.split(" | ").every((cell) => cell.trim() !== ""),
        path,
      ).toBe(true);
      expect(example, path).toBeDefined();
    }
    for (const [yaml = ""] of [...page.matchAll(/(?<=```yaml\n)[^`]+/g)]) {
      expect(parseConfig([{ file: "docs", text: yaml }]).problems).toEqual([]);
    }
  });

  test("hold every environment variable, and so does .env.example, which sets no secret", () => {
    const lines = envExample().split("\n");
    for (const { name, description } of ENV_VARIABLES) {
      expect(description, name).not.toBe("");
      expect(environmentMarkdown()).toContain(`- \`${name}\`: `);
      expect(lines.filter((line) => line.replace("# ", "").startsWith(`${name}=`))).toHaveLength(1);
    }
    expect(lines).toContain("WEBHOOK_SECRET=");
    expect(lines.filter((line) => /^[A-Z]/.test(line))).toHaveLength(3);
  });
});
