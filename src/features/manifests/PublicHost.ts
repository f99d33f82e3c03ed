import { NetAddress } from "effect/net"
import { Result } from "effect"
import { isPublic } from "#src/kernel/outbound/AddressPolicy.ts"

/** Names that networks give out among themselves (RFC 6761, RFC 6762, RFC 8375), and those of Kubernetes. */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa|lan|test|svc|cluster\.local)$/

/** Whether a URL, which is one, leads to the internet as far as its text tells: names are not looked up. */
export const isPublicHost = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  const address = NetAddress.ipFromString(host)
  if (Result.isSuccess(address)) return isPublic(address.success)
  return host.includes(".") && !privateNames.test(host)
}
