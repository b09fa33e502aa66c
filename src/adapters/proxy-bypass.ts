// Which requests bypass the operator's proxy.
import { BlockList, isIP } from "node:net";
import { isLoopbackAddress } from "./private-address.ts";

/**
 * True for loopback and names without a dot, which a proxy cannot know and whose requests may go unencrypted; and for hosts on the
 * list.
 *
 * @param noProxy NO_PROXY: separated by commas or spaces, `*`, hosts with their subdomains (`example.com`, `.example.com`,
 *   `*.example.com`), addresses and ranges (`10.0.0.0/8`, `fd00::/8`), each with `:PORT` where only that port is meant
 */
export function goesDirect({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
  const isName = isIP(host) === 0;
  if (isLoopbackAddress(host) || (isName && (!host.includes(".") || host.endsWith(".localhost")))) return true;
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && matches(entry, host, at));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(entry, host);
  const plain = entry.replace(/^https?:/, "");
  // `host:443`, `[fd00::1]:443`; an address of IPv6 without brackets has colons of its own.
  const [, inBrackets, ofBrackets] = /^\[([^\]]+)\](?::(\d+))?$/.exec(plain) ?? [];
  const [, name, ofName] = isIP(plain) === 6 ? [] : (/^([^:]+)(?::(\d+))?$/.exec(plain) ?? []);
  const only = ofBrackets ?? ofName;
  if (only !== undefined && only !== port) return false;
  const wanted = (inBrackets ?? name ?? plain).replace(/^\*?\./, "");
  if (isIP(wanted) !== 0) return isInRange(`${wanted}/${isIP(wanted) === 4 ? 32 : 128}`, host);
  return host === wanted || host.endsWith(`.${wanted}`);
}

function isInRange(range: string, host: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128) || isIP(host) === 0)
    return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return list.check(host, isIP(host) === 4 ? "ipv4" : "ipv6");
}
