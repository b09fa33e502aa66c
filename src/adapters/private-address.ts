// Addresses that are not public: the machine itself, private networks, a cloud's metadata.
import { BlockList, isIP } from "node:net";

/**
 * IANA's special-purpose registries: everything that is not globally reachable, with multicast and
 * reserved ranges; the relays of 6to4 (RFC 7526); and 168.63.129.16, a public address at which
 * Azure's host answers each of its virtual machines (learn.microsoft.com, "What is IP address
 * 168.63.129.16?").
 */
const V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/**
 * For IPv6, with the forms that embed an unchecked IPv4 address: IPv4-translated (RFC 2765), Teredo
 * in 2001::/23 (else IETF protocols and benchmarks, no service) and 6to4.
 */
const V6 = [
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b:1::/48",
  "100::/64",
  "100:0:0:1::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const NOT_PUBLIC = listOf([...V4, ...V6]);
const LOOPBACK = listOf(["127.0.0.0/8", "::1/128"]);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** True for an address that is not on the public internet, and for what is no address. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 0 || has(NOT_PUBLIC, address);
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && has(LOOPBACK, address);
}

/** Checks the IPv4 address inside `::ffff:0:0/96`, and the one behind NAT64. */
function has(list: BlockList, address: string): boolean {
  if (isIP(address) === 4) return list.check(address, "ipv4");
  const behind = behindNat64(address);
  return behind === null ? list.check(address, "ipv6") : list.check(behind, "ipv4");
}

/** `64:ff9b::a00:1` → `10.0.0.1`; null for any other address. */
function behindNat64(address: string): string | null {
  // The URL parser normalises an address.
  const plain = URL.parse(`http://[${address.split("%")[0]}]`)?.hostname ?? "";
  const [, high = "", low] = /^\[64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})\]$/.exec(plain) ?? [];
  if (low === undefined) return null;
  const [a, b] = [Number.parseInt(high || "0", 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
