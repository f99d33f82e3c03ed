import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import * as fc from "fast-check"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"

const client = "93.184.216.34"

const clientOf = (setting: string, peer: string, forwardedFor?: string) =>
  ClientAddress.clientOf(Result.getOrThrow(ClientAddress.parse(setting)), { peer, forwardedFor })

describe("The client group of an address", () => {
  it.each([
    ["93.184.216.34", "93.184.216.34"],
    ["::ffff:93.184.216.34", "93.184.216.34"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["", ""]
  ])("for the address %j is %j", (address, network) => {
    assert.strictEqual(ClientAddress.networkOf(address), network)
  })
})

describe("The address of a client", () => {
  it.each([
    ["10.0.0.1", client, client],
    // The client may have written the addresses to the left of its own.
    ["10.0.0.1", `1.1.1.1, ${client}`, client],
    ["10.0.0.1", `127.0.0.1,${client}`, client],
    ["10.0.0.1", `unknown, <script>, ${client}`, client],
    // A chain of proxies.
    ["10.0.0.1", `${client}, 10.0.0.2, 10.9.9.9`, client],
    ["10.0.0.1", `8.8.8.8, ${client},10.0.0.2`, client],
    ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    // In the form of some proxies.
    ["10.0.0.1", `${client}:4711`, client],
    ["10.0.0.1", "[2606:2800:220:1::1]:4711", "2606:2800:220:1::1"],
    ["10.0.0.1", "[2606:2800:220:1::1]", "2606:2800:220:1::1"],
    ["10.0.0.1", "2606:2800:0220:0001:0:0:0:1", "2606:2800:220:1::1"],
    // IPv4 on an IPv6 socket.
    ["::ffff:10.0.0.1", client, client],
    ["10.0.0.1", `::ffff:${client}`, client],
    ["10.0.0.1", `${client}, ::ffff:10.0.0.2`, client],
    ["fd00::7", client, client]
  ])("behind a proxy at %s that sends %j is %s", (peer, forwardedFor, address) => {
    assert.strictEqual(clientOf("10.0.0.0/8, fd00::7", peer, forwardedFor), address)
  })

  it.each([
    ["8.8.8.8", client],
    ["11.0.0.1", client],
    ["fd00::8", client],
    ["", client],
    ["10.0.0.1", undefined],
    ["10.0.0.1", ""],
    ["10.0.0.1", "unknown"],
    ["10.0.0.1", `${client}, `],
    ["10.0.0.1", `${client}, unknown`],
    ["10.0.0.1", `${client}, unknown, 10.0.0.2`],
    ["10.0.0.1", `${client}:99999`],
    ["10.0.0.1", "093.184.216.34"],
    ["10.0.0.1", "93.184.216"],
    ["10.0.0.1", "fe80::1%eth0"]
  ])("is the peer's where %s sends %j", (peer, forwardedFor) => {
    assert.strictEqual(clientOf("10.0.0.0/8, fd00::7", peer, forwardedFor), peer)
  })

  it("behind any number of proxies is the one the outermost proxy saw, whatever the client sends", () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
    const proxy = bytes(3).map((rest) => `10.${rest.join(".")}`)
    const address = fc
      .oneof(
        bytes(4).map((all) => NetAddress.ipv4FromBytesUnsafe(all)),
        bytes(16).map((all) => NetAddress.ipv6FromBytesUnsafe(all))
      )
      .map((one) => NetAddress.formatIp(NetAddress.toCanonical(one)))
      .filter((one) => !one.startsWith("10."))
    const said = fc.array(fc.oneof(fc.string(), address, proxy), { maxLength: 5 })
    const separator = fc.constantFrom(",", ", ", " ,\t")
    fc.assert(
      fc.property(
        said,
        address,
        fc.array(proxy),
        proxy,
        separator,
        (said, client, inner, peer, separator) => {
          const forwardedFor = [...said, client, ...inner].join(separator)
          assert.strictEqual(clientOf("10.0.0.0/8", peer, forwardedFor), client)
          assert.strictEqual(clientOf("10.0.0.0/8", client, forwardedFor), client)
        }
      )
    )
  })

  it("is one from the header, or the peer's", () => {
    const part = fc.constantFrom(
      "10.0.0.1",
      client,
      "::1",
      "[",
      "]",
      ":",
      ",",
      " ",
      "80",
      "::ffff:",
      "%",
      "."
    )
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join("")),
        (forwardedFor) => {
          const found = clientOf("private", "10.0.0.1", forwardedFor)
          assert.strictEqual(NetAddress.ipFromString(found)._tag, "Success")
        }
      )
    )
  })
})

describe("TRUSTED_PROXIES", () => {
  it.each([
    ["private", ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "::1", "fd12::1", "::ffff:10.0.0.1"]],
    ["10.0.0.1,2606:4700::/32", ["10.0.0.1", "2606:4700::1", "::ffff:10.0.0.1"]],
    ["::ffff:10.0.0.0/104", ["10.0.0.1", "::ffff:10.0.0.1"]],
    [" private , 173.245.48.0/20", ["127.0.0.1", "173.245.48.1"]]
  ])("%j trusts the named addresses", (setting, peers) => {
    for (const peer of peers) assert.strictEqual(clientOf(setting, peer, client), client, peer)
    for (const peer of ["8.8.8.8", "172.32.0.1", "2607::1", "100.64.0.1"]) {
      assert.strictEqual(clientOf(setting, peer, client), peer)
    }
  })

  it.effect.each([
    ["10.0.0.0/33", "entry 1: prefix length"],
    ["private,10.0.0.1/8", "entry 2: address has non-zero host bits"],
    ["10.0.0.1,", "entry 2: "],
    ["proxy.example.com", "entry 1: expected exactly four decimal octets"],
    ["10.0.0.1, 0.0.0.0/0", "entry 2: a network with all addresses would trust every client"],
    ["::/0", "entry 1: a network with all addresses"],
    ["Private", "entry 1: "],
    ["10.0.0.1:80", "entry 1: "]
  ])("rejects %j at the start with the reason", ([text, why]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(AllSettings.validate)
      assert.match(message, /^TRUSTED_PROXIES: Expected addresses and networks \(CIDR\) of IPv4 and IPv6/)
      assert.include(message, `: ${why}`)
    }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ TRUSTED_PROXIES: text }))))
  )

  it.effect("trusts no address when it is not set", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* ClientAddress.trustedProxies.config))
    }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))))
  )
})
