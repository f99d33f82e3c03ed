/** The addresses that the program may connect to. One list for literals, DNS answers and connected sockets. */
import { Context } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const networks = (...cidrs: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  cidrs.map(IpNetwork.fromStringUnsafe)

/** Special-purpose IPv4 (RFC 6890 and its updates), and one public address that is a cloud's metadata host. */
const refusedIpv4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
)

/** Global unicast. Outside it lie loopback, mapped, translated, unique-local, link-local and multicast addresses. */
const globalIpv6 = IpNetwork.fromStringUnsafe("2000::/3")

/** Inside global unicast: IETF protocols (Teredo, ORCHID), documentation, 6to4 and AS112. */
const refusedIpv6 = networks("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16", "2620:4f:8000::/48")

/** ISATAP (RFC 5214 6.1) embeds an IPv4 address behind either of these interface identifiers. */
const isIsatap = (address: NetAddress.Ipv6Address): boolean => {
  const segments = NetAddress.ipv6ToSegments(address)
  return (segments[4] === 0 || segments[4] === 0x0200) && segments[5] === 0x5efe
}

/** Whether an address is one of the public internet that embeds no other address. */
export const isPublic = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !refusedIpv4.some((network) => IpNetwork.contains(network, address))
    : IpNetwork.contains(globalIpv6, address) &&
      !refusedIpv6.some((network) => IpNetwork.contains(network, address)) &&
      !isIsatap(address)

/** The rule of the outbound guard. Anything but the default is for tests that need a receiver on this machine. */
export const AddressPolicy = Context.Reference<(address: NetAddress.IpAddress) => boolean>(
  "inferlog/src/kernel/outbound/AddressPolicy",
  { defaultValue: () => isPublic }
)
