// GitHub's GraphQL as a machine: documents are parsed, validated and executed with the published
// schema, and errors have GitHub's form: status 200, `type` for what a field refuses,
// `extensions.code` for a document that is wrong.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  FieldsOnCorrectTypeRule,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  PossibleFragmentSpreadsRule,
  ProvidedRequiredArgumentsRule,
  parse,
  ScalarLeafsRule,
  specifiedRules,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
} from "graphql";
import type { Json } from "./conversation.ts";

/**
 * GitHub's names for what is wrong with a document (graphql-ruby, GraphQL::StaticValidation); the
 * others have no code here.
 */
const CODES: ReadonlyMap<ValidationRule, string> = new Map([
  [FieldsOnCorrectTypeRule, "undefinedField"],
  [PossibleFragmentSpreadsRule, "cannotSpreadFragment"],
  [ScalarLeafsRule, "selectionMismatch"],
  [KnownArgumentNamesRule, "argumentNotAccepted"],
  [ProvidedRequiredArgumentsRule, "missingRequiredArguments"],
  [ValuesOfCorrectTypeRule, "argumentLiteralsIncompatible"],
  [KnownTypeNamesRule, "undefinedType"],
  [VariablesInAllowedPositionRule, "variableMismatch"],
  [NoUndefinedVariablesRule, "variableNotDefined"],
  [NoUnusedVariablesRule, "variableNotUsed"],
]);

/** A field that GitHub refuses: `NOT_FOUND`, `FORBIDDEN`. */
export class FieldRefused extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

let schema: GraphQLSchema | undefined;

/** As GitHub publishes it; read when it is first asked for, because that takes half a second. */
export function githubSchema(): GraphQLSchema {
  const file = new URL("schema.graphql", import.meta.resolve("@octokit/graphql-schema"));
  schema ??= buildASTSchema(parse(readFileSync(fileURLToPath(file), "utf8"), { noLocation: true }), {
    assumeValid: true,
    assumeValidSDL: true,
  });
  return schema;
}

/**
 * What GitHub finds wrong with a document.
 *
 * @returns errors in GitHub's form; empty for a good one
 */
export function documentErrors(document: DocumentNode): readonly Json[] {
  // Which rule an error breaks is known by asking each alone; of most documents there is none.
  if (validate(githubSchema(), document).length === 0) return [];
  return specifiedRules.flatMap((rule) =>
    validate(githubSchema(), document, [rule]).map(({ message, locations }) => {
      const code = CODES.get(rule);
      return { ...(code === undefined ? {} : { extensions: { code } }), locations, message };
    }),
  );
}

/**
 * The body of the answer; its status is 200 whatever happens. `root` holds a function for each
 * field of Query and Mutation.
 */
export async function answerOf(query: unknown, variables: unknown, root: Json): Promise<Json> {
  const document = parsed(String(query));
  if ("errors" in document) return document;
  const errors = documentErrors(document);
  if (errors.length > 0) return { errors };
  const variableValues = typeof variables === "object" ? (variables as Json | null) : null;
  const world = { schema: githubSchema(), document, rootValue: root, variableValues, fieldResolver };
  const answer = await execute(world);
  return { data: answer.data, ...(answer.errors === undefined ? {} : { errors: answer.errors.map(inGithubsForm) }) };
}

function parsed(query: string): DocumentNode | { readonly errors: readonly Json[] } {
  try {
    return parse(query);
  } catch (error) {
    const { message, locations } = error as GraphQLError;
    return { errors: [{ message, locations }] };
  }
}

/** What the world does not know is a gap of the world, not an empty field. */
const fieldResolver: GraphQLFieldResolver<Json, unknown> = (source, args, _context, { parentType, fieldName }) => {
  if (!(fieldName in source)) throw new Error(`the fake does not know ${parentType.name}.${fieldName}`);
  const value = source[fieldName];
  return typeof value === "function" ? value(args) : value;
};

function inGithubsForm({ originalError, path, locations, message }: GraphQLError): Json {
  const type = originalError instanceof FieldRefused ? { type: originalError.type } : {};
  return { ...type, path, locations, message };
}

/** A list by pages. GitHub wants `first` or `last`, and at most a hundred. */
export function connection(items: readonly unknown[]): (args: Json) => Json {
  return ({ first, last, after }) => {
    const count = first ?? last;
    if (typeof count !== "number")
      throw new FieldRefused("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value");
    if (count > 100)
      throw new FieldRefused("EXCESSIVE_PAGINATION", `Requesting ${count} records exceeds the 100 limit`);
    const from = typeof first === "number" ? Number(after ?? 0) : Math.max(0, items.length - count);
    const end = Math.min(items.length, from + count);
    const pageInfo = {
      ...{ hasNextPage: end < items.length, hasPreviousPage: from > 0 },
      ...{ startCursor: end > from ? String(from) : null, endCursor: end > from ? String(end) : null },
    };
    return { totalCount: items.length, nodes: items.slice(from, end), pageInfo };
  };
}
