import { assert, describe, it } from "@effect/vitest"
import { Array, Duration, Effect } from "effect"
import { OutboundUnresolved } from "#src/kernel/outbound/OutboundError.ts"
import { Resolver } from "#src/kernel/outbound/Resolver.ts"
import * as NameServer from "#test/support/src/kernel/outbound/NameServer.ts"

const zone: NameServer.Zone = {
  "both.example.com": {
    a: ["93.184.216.34", "10.0.0.1"],
    aaaa: ["2606:2800:220:1:248:1893:25c8:1946"]
  },
  "four.example.com": { a: ["93.184.216.34"] },
  "six.example.com": { aaaa: ["fd00:0:0:0:0:0:0:1"] },
  "alias.example.com": { cname: "db.internal", a: ["10.0.0.7"] },
  "empty.example.com": {},
  "broken.example.com": { code: { a: 2, aaaa: 2 } },
  "half.example.com": { a: ["93.184.216.34"], code: { aaaa: 2 } },
  "denied.example.com": { code: { a: 5, aaaa: 5 } },
  "silent.example.com": { silent: true }
}

const resolve = Effect.fn(function* (name: string) {
  const server = yield* NameServer.make(zone)
  const resolver = yield* Effect.provide(Resolver, Resolver.layerServers([server]))
  return yield* resolver.resolve(name)
}, Effect.scoped)

describe("Resolver", () => {
  it.live("returns every address of both families", () =>
    Effect.gen(function* () {
      assert.sameMembers(
        [...(yield* resolve("both.example.com"))],
        ["93.184.216.34", "10.0.0.1", "2606:2800:220:1:248:1893:25c8:1946"]
      )
      assert.deepStrictEqual(yield* resolve("four.example.com"), ["93.184.216.34"])
      assert.deepStrictEqual(yield* resolve("six.example.com"), ["fd00::1"])
    })
  )

  it.live("follows an alias to its addresses", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resolve("alias.example.com"), ["10.0.0.7"])
    })
  )

  it.live.each([
    ["a name that does not exist", "missing.example.com"],
    ["a name without addresses", "empty.example.com"],
    ["a server failure", "broken.example.com"],
    ["a failure for one family only", "half.example.com"],
    ["a refused query", "denied.example.com"]
  ] as const)("fails on %s", ([_case, name]) =>
    Effect.gen(function* () {
      assert.instanceOf(yield* Effect.flip(resolve(name)), OutboundUnresolved)
    })
  )

  it.live("stops its queries when interrupted", () =>
    Effect.gen(function* () {
      const [elapsed, answer] = yield* resolve("silent.example.com").pipe(
        Effect.timeoutOption("50 millis"),
        Effect.timed
      )
      assert.strictEqual(answer._tag, "None")
      assert.isBelow(Duration.toMillis(elapsed), 900)
    })
  )

  it.live("reads the hosts file like the system's resolver", () =>
    Effect.gen(function* () {
      const resolver = yield* Effect.provide(Resolver, Resolver.layerSystem)
      assert.include(["127.0.0.1", "::1"], Array.headNonEmpty(yield* resolver.resolve("localhost")))
    })
  )
})
