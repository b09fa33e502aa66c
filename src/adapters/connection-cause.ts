// Why a connection failed, in words for people, each with what to do.

export interface Cause {
  readonly what: string;
  readonly fix: string;
}

const PROXY = "HTTPS_PROXY, HTTP_PROXY and NO_PROXY";

/** By error code of Node, undici or OpenSSL. */
export const CONNECTION_CAUSES: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: { what: "nothing listens there", fix: "check the address and the port, and that the server runs" },
  ENOTFOUND: { what: "DNS knows no such name", fix: "check the address and DNS" },
  EAI_AGAIN: { what: "DNS did not answer", fix: "check DNS and the network" },
  ECONNRESET: { what: "the connection was cut", fix: `check the server's log, and ${PROXY}` },
  EPIPE: { what: "the connection was cut", fix: `check the server's log, and ${PROXY}` },
  UND_ERR_SOCKET: { what: "the connection was cut", fix: `check the server's log, and ${PROXY}` },
  ETIMEDOUT: { what: "no answer in time", fix: `check the network, the firewall and ${PROXY}` },
  TIMEOUT: { what: "no answer in time", fix: `check the network, the firewall and ${PROXY}` },
  UND_ERR_CONNECT_TIMEOUT: { what: "no connection in time", fix: `check the network, the firewall and ${PROXY}` },
  UND_ERR_HEADERS_TIMEOUT: { what: "no answer in time", fix: "check the server's load" },
  UND_ERR_BODY_TIMEOUT: { what: "the answer stopped", fix: "check the server's load" },
  EHOSTUNREACH: { what: "no route to it", fix: "check the network and the address" },
  ENETUNREACH: { what: "no route to it", fix: "check the network and the address" },
  UND_ERR_ABORTED: { what: "the proxy refused the connection", fix: `check ${PROXY}` },
  CERTIFICATE: {
    what: "its TLS certificate is not trusted",
    fix: "set NODE_EXTRA_CA_CERTS to the certificate authority, and check the name and the clock",
  },
  TLS: {
    what: "it does not speak TLS there",
    fix: "check whether the address needs http or https, and the port",
  },
  HTTP: { what: "it does not speak HTTP there", fix: "check the address and the port" },
  EGRESS_REFUSED: { what: "Kodiai may not connect there", fix: "check the address and KODIAI_ALLOW_PRIVATE_HOSTS" },
};

/** Families of codes that have one cause. */
const FAMILIES: readonly (readonly [RegExp, keyof typeof CONNECTION_CAUSES])[] = [
  [
    /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)|SIGNATURE_FAILURE/,
    "CERTIFICATE",
  ],
  [/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/, "TLS"],
  [/^HPE_/, "HTTP"],
];

/** Errors without a code: of a signal that ran out, and of undici's parser. */
const BY_NAME: Readonly<Record<string, keyof typeof CONNECTION_CAUSES>> = {
  TimeoutError: "TIMEOUT",
  HTTPParserError: "HTTP",
};

/** The error and its causes, outermost first. */
function chain(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 6; at = at.cause) {
    found.push(at);
    // Node tries each address of a name, and collects the failures.
    if (at instanceof AggregateError && at.errors[0] instanceof Error) found.push(at.errors[0]);
  }
  return found;
}

/** The code of a failed connection, such as `ECONNREFUSED` or `TIMEOUT`; null without one. */
export function connectionCode(error: unknown): string | null {
  const errors = chain(error);
  const codes = errors.flatMap((error) => ("code" in error && typeof error.code === "string" ? [error.code] : []));
  const code = codes.findLast((word) => /^[A-Z][A-Z0-9_]{2,49}$/.test(word));
  if (code !== undefined) return code;
  return errors.flatMap(({ name }) => BY_NAME[name] ?? [])[0] ?? null;
}

/**
 * Why there is no answer: `ECONNREFUSED (nothing listens there); check …`. Nothing else of the
 * error is shown, because HTTP clients quote headers; and no host, because strangers may read it.
 */
export function connectionCause(error: unknown): string {
  const code = connectionCode(error);
  if (code === null) return "no connection; check the address and the network";
  const family = FAMILIES.find(([codes]) => codes.test(code))?.[1];
  const cause = CONNECTION_CAUSES[family ?? code];
  return cause === undefined ? `${code}; check the address and the network` : `${code} (${cause.what}); ${cause.fix}`;
}
