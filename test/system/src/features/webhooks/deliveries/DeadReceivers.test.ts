/**
 * Many receivers that accept connections and stay silent, and one that answers.
 * @alone It checks times or memory against limits.
 */
import { Array, Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as LiveReceiver from "#test/support/src/features/webhooks/deliveries/LiveReceiver.ts"

/** `DEAD_RECEIVERS=1000` is the long form. */
const count = Number(process.env["DEAD_RECEIVERS"] ?? 300)
const deliveries = 200

/** The number of sends to each; at the second one the server knows that they are silent. */
const attempts = process.env["DEAD_RECEIVERS"] === undefined ? 1 : 2

/** The most by which the server may grow, bytes: its warm-up, and the memory of a connection that waits for TLS. */
const memoryLimit = 64 * 1024 * 1024 + count * 192 * 1024

/** Otherwise much of its memory is garbage that V8 collects at varying times. */
const env = { NODE_OPTIONS: "--max-semi-space-size=2" }

/** For the number, each another receiver. */
const addressOf = (number: number) => `127.1.${number >> 8}.${number & 255}`

describe("a responsive receiver", () => {
  it.live(`gets its webhooks within a second while ${count} others never answer`, () =>
    Effect.gen(function* () {
      // Behind one port of all addresses of this machine.
      const dead = yield* Receiver.silent({ host: "0.0.0.0" })
      const server = yield* Client.start({ dataDirectory: yield* TempDirectory.make, env })
      const live = yield* LiveReceiver.make(server)
      // The first growth is the same for any receiver.
      const earlier = yield* LiveReceiver.make(server)
      yield* Effect.replicateEffect(earlier.exchange, deliveries, { concurrency: 4, discard: true })
      const before = yield* server.memory
      const ids = yield* Effect.forEach(
        Array.range(1, count),
        (number) => server.submit({ webhook: `https://${addressOf(number)}:${dead.port}/` }),
        { concurrency: 20 }
      )
      yield* dead.until(() => dead.open() >= count)

      yield* Effect.replicateEffect(live.exchange, deliveries, { concurrency: 4, discard: true })
      assert.isAtLeast(dead.open(), count, "all of them are still under way")
      assert.strictEqual(yield* server.count("delivering"), ids.length)
      yield* Effect.repeat(live.exchange, { until: () => dead.connections() >= attempts * count })
      const told = yield* live.check(deliveries)
      const grown = (yield* server.memory) - before
      yield* Effect.sync(() =>
        process.stdout.write(
          `${count} dead receivers: ${told}, ${Math.round(grown / 1024 / 1024)} MiB more\n`
        )
      )
      assert.isAtMost(grown, memoryLimit)
    })
  )
})
