// Names to addresses for connections, each address judged before it is connected to: what was judged is what is used.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** All addresses of a name, as the system's resolver tells them. */
export type Resolve = (
  hostname: string,
  tell: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

export const resolveByDns: Resolve = (hostname, tell) => lookup(hostname, { all: true }, tell);

/**
 * A `lookup` for sockets.
 *
 * @param judge the error that an address is refused with, or null; one refused address refuses the name, since a name
 *   with a public and a private address is how rebinding is done
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
