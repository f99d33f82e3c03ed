/** The addresses on which this program listens. The guard refuses them, so that no URL makes the service call itself. */
import { Context, Equal, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { networkInterfaces } from "node:os"

export interface Listener {
  /** As passed to `listen`: `0.0.0.0`, `::` and names other than `localhost` mean every address of this machine. */
  readonly address: string
  readonly port: number
}

export const OwnListeners = Context.Reference<ReadonlyArray<Listener>>(
  "inferlog/src/kernel/outbound/OwnListeners",
  { defaultValue: () => [] }
)

const parse = (address: string): Option.Option<NetAddress.IpAddress> =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(address)), (parsed) => NetAddress.toCanonical(parsed))

const machineAddresses = (): ReadonlyArray<NetAddress.IpAddress> =>
  Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).flatMap((entry) => Option.toArray(parse(entry.address)))
  )

type Reaches = (address: NetAddress.IpAddress) => boolean

/** Tests whether a canonical address reaches a listener on `host`. An unspecified address reaches any listener. */
const reaches = (host: string, machine: ReadonlyArray<NetAddress.IpAddress>): Reaches => {
  const isLoopback: Reaches = (address) => NetAddress.isLoopback(address) || NetAddress.isUnspecified(address)
  const isAny: Reaches = (address) => isLoopback(address) || machine.some((own) => Equal.equals(own, address))
  if (host.toLowerCase() === "localhost") return isLoopback
  return Option.match(parse(host), {
    onNone: () => isAny,
    onSome: (own) =>
      NetAddress.isUnspecified(own)
        ? isAny
        : (address) => NetAddress.isUnspecified(address) || Equal.equals(own, address)
  })
}

/** A test for whether an address and port reach one of the listeners. Reads the network interfaces once. */
export const matcher = (
  listeners: ReadonlyArray<Listener>
): ((address: NetAddress.IpAddress, port: number) => boolean) => {
  const machine = listeners.length === 0 ? [] : machineAddresses()
  const own = listeners.map(({ address, port }) => ({ port, isReached: reaches(address, machine) }))
  return (address, port) => {
    const canonical = NetAddress.toCanonical(address)
    return own.some((listener) => listener.port === port && listener.isReached(canonical))
  }
}
