// Every GraphQL document that Kodiai sends. The client accepts no other, and a test validates each
// export of this file against GitHub's published schema.

declare const checked: unique symbol;
/** A document of this file. No other file can create one, so none escapes the test. */
export type GraphqlDocument = string & { readonly [checked]: true };

const document = (text: string) => text as GraphqlDocument;

/** Fields of an `Actor`, which may not be a person; only these two types have an id that we use. */
const ACTOR = "__typename login ... on User { databaseId } ... on Bot { databaseId }";
/** Null for a deleted account. Some have no numeric id. */
export type Actor = {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number | null;
} | null;

/** A page of a list. */
export interface Page<Node> {
  readonly nodes: readonly (Node | null)[];
  readonly totalCount?: number;
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Fields of a `User`, into which no fragment on `Bot` may be spread. */
const USER = "__typename login databaseId";
const REACTION = `id content createdAt user { ${USER} }`;

/**
 * People's reactions to the findings on one pull request. Only the reactions to each thread's first
 * comment are read: a hundred for every comment would cost twenty times as much. Ids of comments
 * and reviews no longer fit `databaseId`, which has 32 bits.
 */
export const FEEDBACK = document(`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    state url headRefOid author { ${ACTOR} } mergedAt mergedBy { ${ACTOR} } mergeCommit { oid }
    timelineItems(last: 50, itemTypes: [REVIEW_DISMISSED_EVENT]) { nodes { ... on ReviewDismissedEvent {
      id createdAt url dismissalMessage actor { ${ACTOR} } review { fullDatabaseId author { ${ACTOR} } }
    } } }
    reviewThreads(first: 50, after: $after) {
      nodes {
        id isResolved resolvedBy { ${USER} }
        root: comments(first: 1) { nodes {
          id fullDatabaseId body url author { ${ACTOR} } pullRequestReview { fullDatabaseId }
          reactions(first: 100) { totalCount nodes { ${REACTION} } pageInfo { hasNextPage endCursor } }
        } }
        answers: comments(first: 100) { totalCount nodes {
          fullDatabaseId body url createdAt author { ${ACTOR} }
        } }
      }
      pageInfo { hasNextPage endCursor }
    }
  } }
}`);

/** Further reactions to one comment. */
export const MORE_REACTIONS = document(`query ($id: ID!, $after: String) {
  node(id: $id) { ... on PullRequestReviewComment { reactions(first: 100, after: $after) {
    nodes { ${REACTION} } pageInfo { hasNextPage endCursor }
  } } }
}`);

/** The thread that a comment begins. */
export const FIND_THREAD = document(`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      nodes { id isResolved comments(first: 1) { nodes { fullDatabaseId } } }
      pageInfo { hasNextPage endCursor }
    }
  } }
}`);

export const RESOLVE_THREAD = document(`mutation ($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { isResolved } }
}`);

/** The fields of a review comment in this GitHub's schema. */
export const REVIEW_COMMENT_FIELDS = document(
  'query { __type(name: "PullRequestReviewComment") { fields(includeDeprecated: true) { name } } }',
);

/** How each pull request ended, and who resolved its first hundred threads. */
export function fatesOf(pulls: readonly number[]): GraphqlDocument {
  const each = pulls.map(
    (number) => `p${number}: pullRequest(number: ${number}) {
    number merged authorAssociation author { ${ACTOR} }
    reviewThreads(first: 100) {
      nodes { isResolved resolvedBy { ${USER} } comments(first: 1) { nodes { fullDatabaseId } } }
    } }`,
  );
  return document(
    `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${each.join("\n")} } }`,
  );
}
