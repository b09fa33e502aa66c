// Resolves names for connections and checks each address first: the checked address is the one that is used.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** All addresses of a name, from the system's resolver. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

export const resolveByDns: Resolve = (hostname, callback) => lookup(hostname, { all: true }, callback);

/**
 * A `lookup` for sockets.
 *
 * @param judge the error to refuse an address with, or null; one refused address refuses the name, because DNS rebinding uses names
 *   with a public and a private address
 */
export function vettedLookup(
  resolve: Resolve,
  judge: (hostname: string, found: LookupAddress) => Error | null,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      const [first] = found ?? [];
      const refusal = error ?? found.map((each) => judge(hostname, each)).find((each) => each !== null) ?? null;
      if (refusal !== null || first === undefined) {
        const failed = refusal ?? Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
        callback(failed, "", 0);
      } else if (options.all === true) callback(null, [...found]);
      else callback(null, first.address, first.family);
    });
  };
}
