/** The client's address for limits. Only `X-Forwarded-For` is read: a client could set others past its proxy. */
import { Config, Effect, Option, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { IpNetwork, NetAddress } from "effect/net"
import * as Setting from "#src/kernel/settings/Setting.ts"

type Networks = ReadonlyArray<IpNetwork.IpNetwork>

/** Loopback, private (RFC 1918) and unique-local (RFC 4193). */
const privateNetworks: Networks = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7"
].map(IpNetwork.fromStringUnsafe)

const networksOf = (entry: string): Result.Result<Networks, string> => {
  if (entry === "private") return Result.succeed(privateNetworks)
  const text = entry.includes("/") ? entry : `${entry}/${entry.includes(":") ? 128 : 32}`
  return IpNetwork.fromString(text).pipe(
    Result.mapError(({ message }) => message),
    Result.flatMap((network) =>
      network.prefixLength === 0
        ? Result.fail("a network with all addresses would trust every client")
        : Result.succeed([network])
    )
  )
}

/** Fails with the fault of the first invalid entry, without repeating its text. */
export const parse = (text: string): Result.Result<Networks, string> =>
  Result.gen(function* () {
    const networks: Array<IpNetwork.IpNetwork> = []
    for (const [index, entry] of text.split(",").entries()) {
      const found = networksOf(entry.trim())
      networks.push(...(yield* Result.mapError(found, (fault) => `entry ${index + 1}: ${fault}`)))
    }
    return networks
  })

const Proxies = Schema.String.check(Schema.makeFilter((text: string) => Result.isSuccess(parse(text))))

export const trustedProxies = Setting.optional({
  name: "TRUSTED_PROXIES",
  config: (name) =>
    Config.map(Config.schema(Proxies, name), (text) => Result.getOrElse(parse(text), (): Networks => [])),
  defaultText: "none: the address that connects",
  description:
    "reverse proxies whose `X-Forwarded-For` is believed, so that sign-ins and registrations of assistants, and downloads of files, are limited by each client's own address",
  accepts:
    "addresses and networks (CIDR) of IPv4 and IPv6 with commas between, `private` for loopback and private networks",
  example: "127.0.0.1,10.20.0.0/16",
  fault: (text) => Result.match(parse(text), { onFailure: (fault) => fault, onSuccess: () => null })
})

/** An address as a proxy writes it, with or without a port. */
const addressOf = (text: string): Option.Option<NetAddress.IpAddress> =>
  NetAddress.ipFromString(text.replace(/^\[(.*)\]$/, "$1")).pipe(
    Result.orElse(() => Result.map(NetAddress.inetAddressFromString(text), ({ address }) => address)),
    Result.map((address) => NetAddress.toCanonical(address)),
    Result.getSuccess
  )

/** An IPv4 address also matches networks of IPv4-mapped IPv6 addresses. */
const isIn = (networks: Networks, address: NetAddress.IpAddress): boolean =>
  networks.some(
    (network) =>
      IpNetwork.contains(network, address) ||
      (NetAddress.isIpv4Address(address) && IpNetwork.contains(network, NetAddress.toIpv4Mapped(address)))
  )

/**
 * The right-most address that is not a trusted proxy's, because the client may have written what stands left of it; the
 * left-most one if all are proxies. The peer if it is no proxy, or if an entry is no address.
 * @param peer of the socket, `""` when unknown.
 * @param forwardedFor all `X-Forwarded-For` headers, joined.
 */
export const clientOf = (
  proxies: Networks,
  { forwardedFor, peer }: { readonly peer: string; readonly forwardedFor: string | undefined }
): string => {
  const isProxy = (address: NetAddress.IpAddress) => isIn(proxies, address)
  if (forwardedFor === undefined || !Option.exists(addressOf(peer), isProxy)) return peer
  let client = peer
  for (const entry of forwardedFor.split(",").toReversed()) {
    const address = addressOf(entry.trim())
    if (Option.isNone(address)) return peer
    client = NetAddress.formatIp(address.value)
    if (!isProxy(address.value)) return client
  }
  return client
}

/** What counts as one client: an IPv4 address, or a /64 of IPv6, which a provider gives to one customer. */
export const networkOf = (address: string): string =>
  NetAddress.ipFromString(address).pipe(
    Result.map((found) => NetAddress.toCanonical(found)),
    Result.match({
      onFailure: () => address,
      onSuccess: (found) =>
        NetAddress.isIpv6Address(found)
          ? Array.from(NetAddress.ipv6ToSegments(found).slice(0, 4), (segment) => segment.toString(16)).join(
              ":"
            )
          : NetAddress.formatIp(found)
    })
  )

/** `TRUSTED_PROXIES`. */
export const make = Effect.map(trustedProxies.config, (trusted) => {
  const proxies = Option.getOrElse(trusted, (): Networks => [])
  return ({ headers, remoteAddress }: HttpServerRequest): string =>
    clientOf(proxies, {
      peer: Option.getOrElse(remoteAddress, () => ""),
      forwardedFor: headers["x-forwarded-for"]
    })
})
