// Cuts GitHub's OpenAPI description down to the operations that the fake GitHub answers, for the
// fixture that every request of our app is checked against. Run by hand when
// test/fakes/github/operations.ts grows:
//
//   npm pack @octokit/openapi@23.0.2     (MIT; 385 MB unpacked: too large for a dependency)
//   tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json package/LICENSE
//   node scripts/trim-openapi.ts package/generated/api.github.com.json
//
// What is cut: other operations, words for people (descriptions, examples), answers other than
// success.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OPERATIONS } from "../test/fakes/github/operations.ts";

type Json = Record<string, unknown>;

const OUTPUT = "test/fixtures/github-openapi.json";
const WORDS = ["summary", "description", "examples", "example", "externalDocs", "operationId", "tags"];

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Removes what only people read; a *property* called `description` or `summary` stays. */
function withoutWords(value: unknown, insideProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (!isJson(value)) return value;
  const kept: Json = {};
  for (const [key, child] of Object.entries(value)) {
    const isWord = WORDS.includes(key) || key.startsWith("x-");
    if (!insideProperties && isWord) continue;
    kept[key] = withoutWords(child, key === "properties" && !insideProperties);
  }
  return kept;
}

function onlySuccess(operation: Json): Json {
  const responses = isJson(operation.responses) ? operation.responses : {};
  const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const bare = success.map(([status, response]) => {
    const content = isJson(response) && isJson(response.content) ? response.content["application/json"] : undefined;
    return [status, content === undefined ? {} : { content: { "application/json": content } }] as const;
  });
  const { parameters, requestBody } = operation;
  return {
    ...(parameters ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: Object.fromEntries(bare),
  };
}

function lookUp(root: Json, pointer: string): { steps: string[]; value: unknown } {
  const steps = pointer
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let value: unknown = root;
  for (const step of steps) value = isJson(value) ? value[step] : undefined;
  return { steps, value };
}

/** Copies every component that `value` refers to, and what those refer to, into `target`. */
function copyReferences(value: unknown, source: Json, target: Json, seen: Set<string>): void {
  const pointer = isJson(value) ? value.$ref : undefined;
  if (typeof pointer === "string" && !seen.has(pointer)) {
    seen.add(pointer);
    const found = lookUp(source, pointer);
    const bare = withoutWords(found.value);
    put(target, found.steps, bare);
    copyReferences(bare, source, target, seen);
  }
  const children = typeof value === "object" && value !== null ? Object.values(value) : [];
  for (const child of children) copyReferences(child, source, target, seen);
}

function put(target: Json, steps: readonly string[], value: unknown): void {
  let place = target;
  for (const step of steps.slice(0, -1)) {
    if (!isJson(place[step])) place[step] = {};
    place = place[step] as Json;
  }
  place[steps.at(-1) ?? ""] = value;
}

const [input] = process.argv.slice(2);
if (input === undefined) throw new Error("usage: node scripts/trim-openapi.ts PATH/TO/api.github.com.json");
const source = JSON.parse(readFileSync(input, "utf8")) as { openapi: string; info: Json; paths: Record<string, Json> };
const paths: Record<string, Json> = {};
const trimmed: Json = {
  openapi: source.openapi,
  info: {
    title: "GitHub's REST description, cut down to the operations of our fake GitHub by scripts/trim-openapi.ts",
    version: source.info.version,
    license: source.info.license,
    source: "npm @octokit/openapi, generated/api.github.com.json",
    // The licence asks to be handed on with the text.
    notice: readFileSync(join(dirname(input), "../LICENSE"), "utf8"),
  },
  paths,
};
const seen = new Set<string>();
for (const operation of Object.keys(OPERATIONS)) {
  const [method = "", path = ""] = operation.split(" ");
  const found = source.paths[path]?.[method.toLowerCase()];
  if (!isJson(found)) throw new Error(`${operation} is not in ${input}`);
  const bare = withoutWords(onlySuccess(found));
  paths[path] = { ...paths[path], [method.toLowerCase()]: bare };
  copyReferences(bare, source as unknown as Json, trimmed, seen);
}
writeFileSync(OUTPUT, `${JSON.stringify(trimmed)}\n`);
console.log(`${OUTPUT}: ${Object.keys(OPERATIONS).length} operations, ${seen.size} components`);
