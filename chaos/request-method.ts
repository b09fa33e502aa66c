// What a request does, by its method. GraphQL asks by POST, and only a mutation writes.

/** Its method; QUERY for a question by GraphQL. */
export function methodOf({
  method,
  path,
  text,
}: {
  readonly method: string;
  readonly path: string;
  readonly text: string;
}) {
  const isQuestion = path === "/graphql" && !/"query":"(?:\\[nt]|\s)*mutation\b/.test(text);
  return isQuestion ? "QUERY" : method;
}

export function isRead(method: string): boolean {
  return method === "GET" || method === "QUERY";
}
