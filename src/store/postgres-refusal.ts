// Why a server does not let us in, and what mends it. No message holds anything of the address but what the server itself repeats of it.

/** By the states in which a server turns a connection away (https://www.postgresql.org/docs/17/errcodes-appendix.html). */
const BY_STATE: ReadonlyMap<string, string> = new Map([
  ["28P01", "the server refuses the user or the password; mend them in the address"],
  [
    "28000",
    "the server knows no such user, or does not let it in from here; create the user, or let it in (pg_hba.conf)",
  ],
  ["3D000", "the server has no such database; create it, or mend the name"],
]);

/** By what Node says of a certificate (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const BY_CERTIFICATE: readonly (readonly [codes: RegExp, why: string])[] = [
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/,
    "nobody who is known here signed the server's certificate; name the file of its authority with sslrootcert=FILE in the address, or in NODE_EXTRA_CA_CERTS",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the server's certificate is another host's; name the server as its certificate does",
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "the server's certificate is not valid today; renew it, or set the clock"],
];

/** By what the driver says, which gives it no code, and by what the server says more closely than its state. */
const BY_WORDS: readonly (readonly [said: RegExp, why: string])[] = [
  [/client password must be a (non-empty )?string/i, "the server asks for a password, and the address has none"],
  [
    /does not support SSL connections/i,
    "the server speaks no TLS; turn it on there (ssl = on), or leave sslmode out of the address where the way to it is safe",
  ],
  [
    /no pg_hba[.]conf entry .*no encryption/i,
    "the server may let nobody in without TLS; add ?sslmode=verify-full to the address",
  ],
  [/is not currently accepting connections/i, "the server lets nobody connect to this database; name another one"],
  [/permission denied for database/i, "the user may not connect to this database; GRANT CONNECT ON DATABASE to it"],
];

/** @returns what the operator must mend; null for an error of another kind */
export function refusal(error: Error): string | null {
  const said = BY_WORDS.find(([words]) => words.test(error.message))?.[1];
  if (said !== undefined) return said;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return BY_STATE.get(code) ?? BY_CERTIFICATE.find(([codes]) => codes.test(code))?.[1] ?? null;
}
