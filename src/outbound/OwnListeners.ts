// The addresses this program listens on. The guard refuses them, or a URL could make the service call itself.
import { Context, Equal, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { networkInterfaces } from "node:os"

export interface Listener {
  /** As given to `listen`: `0.0.0.0` and `::` stand for every address of this machine. */
  readonly address: string
  readonly port: number
}

export const OwnListeners = Context.Reference<ReadonlyArray<Listener>>("inferlog/src/outbound/OwnListeners", {
  defaultValue: () => []
})

const parse = (address: string): Option.Option<NetAddress.IpAddress> =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(address)), (parsed) => NetAddress.toCanonical(parsed))

const machineAddresses = (): ReadonlyArray<NetAddress.IpAddress> =>
  Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).flatMap((entry) => Option.toArray(parse(entry.address)))
  )

const isAnyOfThisMachine = (
  address: NetAddress.IpAddress,
  machine: ReadonlyArray<NetAddress.IpAddress>
): boolean =>
  NetAddress.isLoopback(address) ||
  NetAddress.isUnspecified(address) ||
  machine.some((own) => Equal.equals(own, address))

/** A test for whether an address and port reach one of the listeners. Reads the network interfaces once. */
export const matcher = (
  listeners: ReadonlyArray<Listener>
): ((address: NetAddress.IpAddress, port: number) => boolean) => {
  const machine = listeners.length === 0 ? [] : machineAddresses()
  return (address, port) => {
    const canonical = NetAddress.toCanonical(address)
    return listeners.some(
      (listener) =>
        listener.port === port &&
        Option.exists(parse(listener.address), (own) =>
          NetAddress.isUnspecified(own) || NetAddress.isUnspecified(canonical)
            ? isAnyOfThisMachine(canonical, machine)
            : Equal.equals(own, canonical)
        )
    )
  }
}
