// Translates errors of PostgreSQL and its connections: temporary ones become Transient, others stay.
import { DatabaseRefuses, LeaseLost, StoreUnusable, Transient } from "../domain/errors.ts";
import { noteDamage } from "./damage.ts";

/**
 * Temporary states (https://www.postgresql.org/docs/17/errcodes-appendix.html): connections (08), a
 * serialisation failure or deadlock (40001, 40P01), no resources (53), a lock or statement that took too long (55P03, 57014), a
 * server that stops, starts or ended the session (57P01–57P05, 25P03), and one that is read-only after a failover (25006).
 */
const PASSING = /^(08...|40001|40P01|53...|55P03|57014|57P0[1-5]|25P03|25006)$/;

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Messages of driver errors without a code. */
const CUT =
  /^(Connection terminated|timeout (exceeded|expired)|Query read timeout|Client (has encountered|was closed)|Cannot use a pool|write after end)/i;

/** Whether a translated error means that its connection is lost. */
export function isCut(error: unknown): error is Transient {
  return error instanceof Transient && error.cause instanceof Error && CUT.test(error.cause.message);
}

/**
 * The error for callers. It contains no password: the driver's messages name at most host, port and user, and omit the statement's
 * values.
 */
export function translated(error: unknown): unknown {
  if (error instanceof Transient || error instanceof StoreUnusable || error instanceof LeaseLost) return error;
  if (error instanceof DatabaseRefuses) return error;
  if (!(error instanceof Error)) return new Error(`the database failed: ${String(error)}`);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  noteDamage(code);
  if (PASSING.test(code)) return new Transient(`the database cannot be asked now (${code})`, null, error);
  if (UNREACHABLE.test(code) || CUT.test(error.message))
    return new Transient(`the database cannot be reached now (${code || "connection lost"})`, null, error);
  const fix = REFUSALS.find(([sign]) => sign.test(`${code} ${error.message}`))?.[1];
  return fix === undefined ? error : new DatabaseRefuses(fix);
}

/**
 * Why a server rejects the connection, and how to fix it, by code and message: the server's SQLSTATE
 * (https://www.postgresql.org/docs/17/errcodes-appendix.html), Node's certificate error code
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes), or words, where there is no code or it is too general. The texts
 * contain no part of the address that the server does not repeat.
 */
const REFUSALS: readonly (readonly [sign: RegExp, fix: string])[] = [
  [/client password must be a (non-empty )?string/i, "the server asks for a password, and the address has none"],
  [
    /does not support SSL connections/i,
    "the server has no TLS; turn it on there (ssl = on), or leave sslmode out of the address if the network is trusted",
  ],
  [/no pg_hba[.]conf entry .*no encryption/i, "the server may require TLS; add ?sslmode=verify-full to the address"],
  [/is not currently accepting connections/i, "the server accepts no connections to this database; name another one"],
  [/permission denied for database/i, "the user may not connect to this database; GRANT CONNECT ON DATABASE to it"],
  [/^28P01 /, "the server refuses the user or the password; fix them in the address"],
  [
    /^28000 /,
    "the server knows no such user, or does not let it in from here; create the user, or let it in (pg_hba.conf)",
  ],
  [/^3D000 /, "the server has no such database; create it, or fix the name"],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)) /,
    "the server's certificate is signed by an unknown authority; name the authority's file with sslrootcert=FILE in the address, or in NODE_EXTRA_CA_CERTS",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    "the server's certificate is another host's; name the server as its certificate does",
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID) /, "the server's certificate is not valid today; renew it, or set the clock"],
];
