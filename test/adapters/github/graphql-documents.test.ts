// Every GraphQL document that Kodiai can send is one that GitHub takes: by its published schema,
// without deprecated fields, and within its limits.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getNamedType, NoDeprecatedCustomRule, parse, TypeInfo, validate, visit, visitWithTypeInfo } from "graphql";
import { describe, expect, test } from "vitest";
import type { GitHub } from "../../../src/adapters/github/clients.ts";
import * as documents from "../../../src/adapters/github/graphql-documents.ts";
import { documentErrors, githubSchema } from "../../fakes/github/graphql.ts";

/** As many pull requests as one question is about. */
const TWENTY = Array.from({ length: 20 }, (_, at) => at + 1);
const ALL = Object.entries(documents).map(
  ([name, one]) => [name, typeof one === "function" ? one(TWENTY) : one] as const,
);

describe.each(ALL)("%s", (_name, text) => {
  test("is valid by GitHub's published schema", () => {
    expect(documentErrors(parse(text))).toEqual([]);
  });

  test("asks for no field that GitHub has deprecated", () => {
    const found = validate(githubSchema(), parse(text), [NoDeprecatedCustomRule]);
    expect(found.map(({ message }) => message)).toEqual([]);
  });

  test("bounds every list by `first` or `last`, at most a hundred, and asks for 500,000 nodes at most", () => {
    const info = new TypeInfo(githubSchema());
    const around = [1];
    let nodes = 0;
    const isList = () => /Connection$/.test(getNamedType(info.getType())?.name ?? "");
    const visitor = visitWithTypeInfo(info, {
      Field: {
        enter(node) {
          if (!isList()) return;
          const bounds = (node.arguments ?? []).filter(({ name }) => /^(?:first|last)$/.test(name.value));
          const counts = bounds.map(({ value }) => (value.kind === "IntValue" ? Number(value.value) : Number.NaN));
          expect(counts, node.name.value).toHaveLength(1);
          expect(counts[0]).toBeGreaterThan(0);
          expect(counts[0]).toBeLessThanOrEqual(100);
          around.push((around.at(-1) ?? 1) * (counts[0] ?? 0));
          nodes += around.at(-1) ?? 0;
        },
        leave() {
          if (isList()) around.pop();
        },
      },
    });
    visit(parse(text), visitor);
    expect(nodes).toBeLessThanOrEqual(500_000);
  });
});

test("a document from elsewhere is not sent: the client's type takes none, and nothing goes around it", () => {
  const send = (github: Pick<GitHub, "graphql">) =>
    // @ts-expect-error: this text was not made in graphql-documents.ts.
    github.graphql("{ viewer { login } }", {});
  expect(send).toBeTypeOf("function");
  const around = /as GraphqlDocument\b|["'`]POST \/graphql/;
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const found = sources.filter((name) => around.test(readFileSync(join("src", name), "utf8")));
  expect(found).toEqual([join("adapters", "github", "graphql-documents.ts")]);
});

test.each([
  ["a wrong field", "{ viewer { nickname } }", "undefinedField"],
  [
    "a fragment on a type that the field cannot be",
    'query { node(id: "1") { ... on Reaction { user { ... on Bot { login } } } } }',
    "cannotSpreadFragment",
  ],
  ["an argument that nobody knows", '{ repository(owner: "a", label: "b") { id } }', "argumentNotAccepted"],
])("%s fails", (_what, text, code) => {
  expect(documentErrors(parse(text))).toContainEqual(expect.objectContaining({ extensions: { code } }));
});
