// Checks requests (and, for the fake's own test, answers) against GitHub's own description of its
// API. What arrives: method, path, query, body as sent. What leaves: sentences, one per violation;
// none means sound.
import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { isJson, type Json } from "./conversation.ts";

const FIXTURE = new URL("../../fixtures/github-openapi.json", import.meta.url);
/** Templates whose value may hold slashes. */
const GREEDY = ["{path}", "{basehead}", "{ref}", "{branch}"];

export interface SentRequest {
  readonly method: string;
  /** Without query and without `/api/v3`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON, or undefined when nothing was sent. */
  readonly body: unknown;
}

interface Route {
  readonly operation: string;
  readonly pattern: RegExp;
  readonly description: Json;
}

export interface Description {
  /** `METHOD /template` of the operation, or null when GitHub describes none (of those we know). */
  operation(method: string, path: string): string | null;
  checkRequest(sent: SentRequest): readonly string[];
  checkAnswer(sent: SentRequest, status: number, body: unknown): readonly string[];
}

/** OpenAPI 3.0 says `nullable`; JSON Schema says it in the type. */
function nullableAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullableAsType);
  if (!isJson(value)) return value;
  const node: Json = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, nullableAsType(child)]));
  if (node.nullable !== true) return node;
  delete node.nullable;
  if (typeof node.type === "string") {
    node.type = [node.type, "null"];
    if (Array.isArray(node.enum) && !node.enum.includes(null)) node.enum = [...node.enum, null];
    return node;
  }
  return { anyOf: [node, { type: "null" }] };
}

/**
 * GitHub ignores what it does not know; a misspelt key would go unseen, so the check does not allow
 * any.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isJson(value)) return value;
  const node: Json = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closed(child)]));
  const composed = "anyOf" in node || "oneOf" in node || "allOf" in node;
  if (isJson(value.properties) && value.additionalProperties === undefined && !composed)
    node.additionalProperties = false;
  return node;
}

function routesOf(paths: Json): Route[] {
  const routes: Route[] = [];
  for (const [template, methods] of Object.entries(paths)) {
    let source = template;
    for (const greedy of GREEDY) source = source.replace(greedy, ".+");
    const pattern = new RegExp(`^${source.replace(/\{[^}]+\}/g, "[^/]+")}$`);
    for (const [method, description] of Object.entries(isJson(methods) ? methods : {})) {
      if (isJson(description)) routes.push({ operation: `${method.toUpperCase()} ${template}`, pattern, description });
    }
  }
  // The most literal template wins: /issues/comments before /issues/{issue_number}, greedy ones
  // last, and of those the longer.
  const variables = (route: Route) => route.operation.split("{").length + (route.pattern.source.includes(".+") ? 9 : 0);
  return routes.sort((a, b) => variables(a) - variables(b) || b.operation.length - a.operation.length);
}

function sentences(errors: readonly ErrorObject[] | null | undefined): string {
  const reported = (errors ?? []).slice(0, 3).map((error) => {
    const extra = typeof error.params.additionalProperty === "string" ? ` (${error.params.additionalProperty})` : "";
    return `${error.instancePath || "body"} ${error.message ?? "is wrong"}${extra}`;
  });
  return reported.join("; ");
}

function isEmpty(body: unknown): boolean {
  return body === undefined || (isJson(body) && Object.keys(body).length === 0);
}

/** A query value is text; its schema may want a number or a boolean. */
function coerced(text: string, schema: unknown): unknown {
  const type = isJson(schema) ? schema.type : undefined;
  if (type === "integer" || type === "number") return text.trim() === "" ? text : Number(text);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/**
 * Reads the fixture once; the compiled checks are shared, because they hold no state of a world.
 */
function load(): Description {
  const spec = nullableAsType(JSON.parse(readFileSync(FIXTURE, "utf8"))) as Json;
  const routes = routesOf(spec.paths as Json);
  // A check for each schema once, as plain as it comes: compiling took four times as long, in each
  // process of the tests.
  const ajv = new Ajv({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  (formats as unknown as { default: (ajv: Ajv) => void }).default(ajv);
  for (const own of ["repo.nwo", "timestamp", "ssh-key"]) ajv.addFormat(own, true);
  ajv.addSchema(spec, "github");
  const compiled = new Map<string, ValidateFunction>();

  const check = (key: string, schema: unknown): ValidateFunction => {
    const known = compiled.get(key);
    if (known) return known;
    // References inside point at the whole description.
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/');
    const made = ajv.compile(JSON.parse(text) as object);
    compiled.set(key, made);
    return made;
  };
  const find = (method: string, path: string) =>
    routes.find((route) => route.operation.startsWith(`${method.toUpperCase()} `) && route.pattern.test(path));
  const resolve = (value: unknown): Json => {
    if (!isJson(value)) return {};
    if (typeof value.$ref !== "string") return value;
    const [kind = "", name = ""] = value.$ref.slice("#/components/".length).split("/");
    const memoryPorts = (spec.components as Json)[kind];
    return isJson(memoryPorts) && isJson(memoryPorts[name]) ? (memoryPorts[name] as Json) : {};
  };
  const jsonSchema = (holder: unknown): unknown => {
    const content = resolve(holder).content;
    const json = isJson(content) ? content["application/json"] : undefined;
    return isJson(json) ? json.schema : undefined;
  };

  const declaredQuery = (route: Route): Map<string, Json> => {
    const { parameters } = route.description;
    const declared = (Array.isArray(parameters) ? parameters : []).map(resolve);
    return new Map(declared.filter((one) => one.in === "query").map((one) => [String(one.name), one]));
  };
  const queryProblem = (route: Route, name: string, value: string, declared: Json | undefined): string | null => {
    if (declared === undefined) return `query has no parameter ${name}`;
    const validate = check(`${route.operation}?${name}`, declared.schema ?? {});
    return validate(coerced(value, declared.schema)) ? null : `query ${name}=${value}: ${sentences(validate.errors)}`;
  };
  const queryProblems = (route: Route, query: URLSearchParams): string[] => {
    const known = declaredQuery(route);
    const missing = [...known].filter(([name, one]) => one.required === true && !query.has(name));
    const wrong = [...query].map(([name, value]) => queryProblem(route, name, value, known.get(name)));
    return [...missing.map(([name]) => `query lacks ${name}`), ...wrong.filter((problem) => problem !== null)];
  };
  const bodyProblem = (route: Route, body: unknown): string | null => {
    const requestBody = resolve(route.description.requestBody);
    const schema = jsonSchema(requestBody);
    if (schema === undefined) return isEmpty(body) ? null : "takes no body";
    if (body === undefined && requestBody.required !== true) return null;
    const validate = check(`${route.operation} body`, closed(schema));
    return validate(body ?? null) ? null : sentences(validate.errors);
  };

  return {
    operation: (method, path) => find(method, path)?.operation ?? null,
    checkRequest(sent) {
      const route = find(sent.method, sent.path);
      const say = (problem: string) => `${sent.method} ${sent.path}: ${problem}`;
      if (!route) return [say("is not in GitHub's API description")];
      const inBody = bodyProblem(route, sent.body);
      return [...queryProblems(route, sent.query), ...(inBody === null ? [] : [inBody])].map(say);
    },
    checkAnswer(sent, status, body) {
      const route = find(sent.method, sent.path);
      const responses = route && isJson(route.description.responses) ? route.description.responses : {};
      const schema = jsonSchema(responses[String(status)]);
      if (!route || schema === undefined) return [];
      const validate = check(`${route.operation} ${status}`, schema);
      return validate(body) ? [] : [`${route.operation} answers ${status}: ${sentences(validate.errors)}`];
    },
  };
}

let loaded: Description | null = null;

/** GitHub's description of the operations in operations.ts. */
export function githubDescription(): Description {
  loaded ??= load();
  return loaded;
}
