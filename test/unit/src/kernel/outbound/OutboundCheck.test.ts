import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { networkInterfaces } from "node:os"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { OutboundUnresolved } from "#src/kernel/outbound/OutboundError.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"

const url = "https://receiver.example.com/hook"
const publicAddress = "93.184.216.34"

const answering = (...addresses: ReadonlyArray<string>) =>
  OutboundGuard.layer({ resolve: () => Effect.succeed(addresses), admitted: [] })

const check = (target: string) => Effect.flatMap(Outbound, (outbound) => outbound.check(target))
const errorAnswer = (target: string) => Effect.flip(check(target))

const machineAddresses = Object.values(networkInterfaces()).flatMap((entries) =>
  (entries ?? []).filter(({ family }) => family === "IPv4").map(({ address }) => address)
)

/** Answers with `publicAddress` and counts the queries. */
const counted = Effect.gen(function* () {
  const lookups = yield* Ref.make(0)
  const resolve = () =>
    Effect.as(
      Ref.update(lookups, (count) => count + 1),
      [publicAddress]
    )
  return { lookups, layer: OutboundGuard.layer({ resolve, admitted: [] }) }
})

describe("Outbound.check", () => {
  it.effect("accepts a name with only public addresses", () =>
    check(url).pipe(Effect.provide(answering(publicAddress, "2606:4700::1111")))
  )

  it.effect("accepts a public address without a look-up", () =>
    check("https://[2606:4700::1111]/").pipe(Effect.provide(answering()))
  )

  it.effect.each([
    ["a private one", ["10.0.0.1"]],
    ["a private one after a public one", [publicAddress, "10.0.0.1"]],
    ["a private one before a public one", ["fd00::1", publicAddress]],
    ["a mapped one", ["::ffff:8.8.8.8"]],
    ["one with a zone", [publicAddress, "2606:4700::1111%eth0"]],
    ["an invalid address", [publicAddress, "receiver"]]
  ] as const)("rejects a name with several addresses and %s among them", ([_case, addresses]) =>
    Effect.gen(function* () {
      const error = yield* errorAnswer(url)
      assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" })
    }).pipe(Effect.provide(answering(...addresses)))
  )

  it.effect.each([
    ["https://127.0.0.1/", "private_address"],
    ["https://receiver.internal/", "forbidden_host"],
    ["http://receiver.example.com/", "not_https"]
  ] as const)("rejects %s before any look-up", ([target, reason]) =>
    Effect.gen(function* () {
      const { layer, lookups } = yield* counted
      const error = yield* errorAnswer(target).pipe(Effect.provide(layer))
      assert.deepInclude(error, { _tag: "OutboundRefused", reason })
      assert.strictEqual(yield* Ref.get(lookups), 0)
    })
  )

  it.effect("rejects private targets by default", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* errorAnswer("https://169.254.169.254/"), { reason: "private_address" })
    }).pipe(
      Effect.provide(Outbound.layer),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
    )
  )

  it.effect("fails on a name without addresses", () =>
    Effect.gen(function* () {
      assert.instanceOf(yield* errorAnswer(url), OutboundUnresolved)
    }).pipe(Effect.provide(answering()))
  )

  it.effect("limits a look-up to two seconds", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(errorAnswer(url), { startImmediately: true })
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.instanceOf(yield* Fiber.join(fiber), OutboundUnresolved)
    }).pipe(Effect.provide(OutboundGuard.layer({ resolve: () => Effect.never })))
  )

  it.effect("looks up a name once in thirty seconds", () =>
    Effect.gen(function* () {
      const { layer, lookups } = yield* counted
      yield* Effect.gen(function* () {
        yield* Effect.all([check(url), check(`${url}/other`)], { concurrency: 2 })
        yield* TestClock.adjust("29 seconds")
        yield* check(url)
        assert.strictEqual(yield* Ref.get(lookups), 1)
        yield* TestClock.adjust("1 second")
        yield* check(url)
        assert.strictEqual(yield* Ref.get(lookups), 2)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("rejects the service's own listeners even where private targets are allowed", () =>
    Effect.gen(function* () {
      for (const own of [
        "http://127.0.0.1:8080/",
        "http://[::ffff:127.0.0.1]:8080/",
        "http://0.0.0.0:8080/"
      ]) {
        assert.deepInclude(yield* errorAnswer(own), { reason: "private_address" })
      }
      yield* check("http://127.0.0.1:8081/")
      yield* check("http://10.9.8.7:8080/")
      assert.deepInclude(yield* errorAnswer("http://10.9.8.7:9090/"), { reason: "private_address" })
    }).pipe(
      Effect.provide(
        OutboundGuard.layer({
          settings: { ALLOW_PRIVATE_TARGETS: "true" },
          listeners: [
            { address: "0.0.0.0", port: 8080 },
            { address: "10.9.8.7", port: 9090 }
          ]
        })
      )
    )
  )

  it.effect("rejects the addresses of a listener on a host name", () =>
    Effect.gen(function* () {
      for (const own of [
        "http://127.0.0.1:8080/",
        "http://127.0.0.2:8080/",
        "http://[::1]:8080/",
        "http://0.0.0.0:8080/",
        "http://127.0.0.1:9090/",
        "http://[::1]:9090/",
        ...machineAddresses.map((address) => `http://${address}:9090/`)
      ]) {
        assert.deepInclude(yield* errorAnswer(own), { reason: "private_address" }, own)
      }
      yield* check("http://127.0.0.1:8081/")
      yield* check("http://192.0.2.1:8080/")
      yield* check("http://192.0.2.1:9090/")
    }).pipe(
      Effect.provide(
        OutboundGuard.layer({
          settings: { ALLOW_PRIVATE_TARGETS: "true" },
          listeners: [
            { address: "LocalHost", port: 8080 },
            { address: "node-1.internal", port: 9090 }
          ]
        })
      )
    )
  )

  it.effect("warns at start when private targets are allowed, and only then", () =>
    Effect.gen(function* () {
      const messages: Array<unknown> = []
      const logger = Logger.layer([
        Logger.make(({ logLevel, message }) => messages.push([logLevel, message]))
      ])
      const start = (settings: Record<string, string>) =>
        check("https://8.8.8.8/").pipe(
          Effect.provide(OutboundGuard.layer({ settings })),
          Effect.provide(logger)
        )
      yield* start({})
      assert.deepStrictEqual(messages, [])
      yield* start({ ALLOW_PRIVATE_TARGETS: "true" })
      assert.strictEqual(messages.length, 1)
      assert.match(String(messages[0]), /^Warn,ALLOW_PRIVATE_TARGETS is on/)
    })
  )
})
