import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Stream } from "effect"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Bootstrap from "#src/features/accounts/Bootstrap.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { logText } from "#test/support/src/features/accounts/AccountFacts.ts"

const url = "http://127.0.0.1:3000"
const urls = Layer.succeed(PublicUrls, { queueUrl: url, baseUrl: url, mediaUrl: url, mcpUrl: url })
const layer = TestNode.layer({ dispatches: false }).pipe(Layer.provideMerge(urls))

/** Starts with the settings and returns the output. */
const start = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const lines: Array<string> = []
  const console = { ...(yield* Console.Console), log: (line: string) => void lines.push(line) }
  yield* Effect.scoped(Layer.build(Bootstrap.layer)).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: settings })),
    Effect.provideService(Console.Console, console)
  )
  return lines.join("\n")
})

const authenticate = Effect.fnUntraced(function* (key: string) {
  const authentication = yield* Authentication
  return yield* authentication.authenticate(`Key ${key}`)
})

describe("The first start", () => {
  it.effect("opens an account with the operator's key and balance, and prints neither", () =>
    Effect.gen(function* () {
      const printed = yield* start({ BOOTSTRAP_API_KEY: "dev:s3cret", BOOTSTRAP_BALANCE: "0.5" })
      assert.strictEqual(printed, "")
      yield* authenticate("dev:s3cret")
      const text = yield* logText
      assert.include(text, '"amount":"500000000"')
      assert.notInclude(text, "s3cret")
    }).pipe(Effect.provide(layer))
  )

  it.effect("generates a key if none is given, prints it, and writes no secret to the log", () =>
    Effect.gen(function* () {
      const printed = yield* start({})
      const key = /^ {2}(key_\S+)$/m.exec(printed)?.[1] ?? ""
      yield* authenticate(key)
      assert.include(yield* logText, '"amount":"25000000000"')
      assert.notInclude(yield* logText, key.slice(key.indexOf(":") + 1))
    }).pipe(Effect.provide(layer))
  )

  it.effect("happens once: a later start changes and prints nothing, whatever its settings", () =>
    Effect.gen(function* () {
      yield* start({ BOOTSTRAP_API_KEY: "dev:s3cret" })
      const before = yield* logText
      assert.strictEqual(yield* start({ BOOTSTRAP_API_KEY: "other:0ther" }), "")
      assert.strictEqual(yield* start({}), "")
      assert.strictEqual(yield* logText, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("opens an account when the log has a catalog but no account", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(BuiltinPublishing.layer))
      yield* start({ BOOTSTRAP_API_KEY: "dev:s3cret" })
      yield* authenticate("dev:s3cret")
      const before = yield* logText
      assert.include(before, "ModelPublished")
      yield* start({ BOOTSTRAP_API_KEY: "other:0ther" })
      assert.strictEqual(yield* logText, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not happen when a request exists", () =>
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo, Log.t0))
      const before = yield* logText
      assert.strictEqual(yield* start({ BOOTSTRAP_API_KEY: "dev:s3cret" }), "")
      assert.strictEqual(yield* logText, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of two nodes at once opens one account, and prints the one key that opens it", () =>
    Effect.gen(function* () {
      const reader = yield* EventReader
      /** Both have found the log empty. */
      const early = Effect.provideService(start({}), EventReader, { ...reader, readAll: () => Stream.empty })
      const nodes = yield* Effect.forEach(["one", "two"], (name) =>
        TestNode.start({ name, dispatches: false })
      )
      const printed = yield* Effect.forEach(nodes, (node) => node.on(early), { concurrency: 2 })
      const keys = printed.flatMap((text) => /^ {2}(key_\S+)$/m.exec(text)?.[1] ?? [])
      assert.lengthOf(keys, 1)
      assert.lengthOf((yield* logText).match(/AccountOpened/g) ?? [], 1)
      for (const node of nodes) yield* node.on(authenticate(keys[0] ?? ""))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("generates a new secret each time, whatever the master key", () =>
    Effect.gen(function* () {
      const fresh = Effect.provide(start({}), layer)
      const [one, other] = [yield* fresh, yield* fresh].map(
        (printed) => /^ {2}(key_\S+):(\S+)$/m.exec(printed) ?? []
      )
      assert.strictEqual(one?.[1], other?.[1])
      assert.notStrictEqual(one?.[2], other?.[2])
    })
  )

  it.effect.each<Readonly<Record<string, string>>>([
    { BOOTSTRAP_API_KEY: "no-colon-s3cret" },
    { BOOTSTRAP_API_KEY: "id:s3cret with space" },
    { BOOTSTRAP_BALANCE: "-1" },
    { BOOTSTRAP_BALANCE: "much" }
  ])("is rejected with %o, without repeating the secret", (settings) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(start(settings))
      if (!Exit.isFailure(exit)) return assert.fail("it starts")
      assert.notInclude(Cause.pretty(exit.cause), "s3cret")
      assert.strictEqual(yield* logText, "")
    }).pipe(Effect.provide(layer))
  )
})
