/** Groups client addresses that share one limit. */
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isPublic } from "#src/kernel/outbound/AddressPolicy.ts"

/** The group of all addresses that are not public. A proxy in front of many clients often has such an address. */
export const privateAddresses = "private"

/** A public IPv4 address, or the /64 of an IPv6 address (one customer of a provider); otherwise `privateAddresses`. */
export const groupOf = (clientAddress: string): string => {
  const address = Result.map(NetAddress.ipFromString(clientAddress), (found) => NetAddress.toCanonical(found))
  if (Result.isFailure(address) || !isPublic(address.success)) return privateAddresses
  return NetAddress.isIpv6Address(address.success)
    ? NetAddress.ipv6ToSegments(address.success).slice(0, 4).join(":")
    : NetAddress.formatIp(address.success)
}
