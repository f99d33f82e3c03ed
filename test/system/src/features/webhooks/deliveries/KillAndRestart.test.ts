/**
 * Repeated `kill -9` under submits with webhooks: each acknowledged request's webhooks finally arrive, whatever their
 * receiver answers at first, and none is sent too often.
 * @first It takes long, so at the end it would run alone.
 * @cost Four kills with webhooks under way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { isSigned, secretBytes } from "#src/features/webhooks/StandardWebhooks.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Load from "#test/support/Load.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as Invariants from "#test/support/src/features/webhooks/deliveries/Invariants.ts"
import * as Until from "#test/support/Until.ts"

/** `KILL_CYCLES=100` is the long form. */
const cycles = Number(process.env["KILL_CYCLES"] ?? 4)
const clients = 10
/** The most acknowledgements between a restart and the next kill. */
const maxAcknowledged = 40

/** Deliveries with a longer wait are replayed: waits of half a minute and more have other tests. */
const patienceMs = 6_000

/** Lost attempts wait for the next ones of their schedule. */
const schedules = { limitMs: 90_000 }

const slowMs = 200

/** Receivers by their path; all accept a second attempt. */
const answer: WebhookReceiver.Answer = (post, response) => {
  const isFirst = post.turn === 1
  if (isFirst && post.path === "/refusing") response.writeHead(500).end()
  else if (isFirst && post.path === "/slow") setTimeout(() => response.writeHead(200).end(), slowMs)
  else response.writeHead(204).end()
}

const worksOf =
  (receiver: WebhookReceiver.WebhookReceiver): Load.Works =>
  (random, serial) => {
    const webhook = receiver.url(["/", "/refusing", "/slow"][random(3)])
    const value = random(10) === 0 ? "x".repeat(70_000) : { serial }
    const input = { value, delayMs: random(3) * 50, webhook }
    return {
      path: "/sandbox/echo",
      input: random(2) === 0 ? input : { ...input, webhook_events_filter: ["start", "completed"] }
    }
  }

interface Listed {
  readonly total: number
  readonly data: ReadonlyArray<{ readonly id: string; readonly nextAttemptAt: string }>
}

/** Waits until all are delivered. */
const settle = (server: Client.Client) =>
  Effect.gen(function* () {
    const list = (status: string) =>
      Effect.map(
        server.call(`/webhooks/deliveries?limit=100&status=${status}`),
        ({ body }) => body as object as Listed
      )
    const ask = Effect.gen(function* () {
      const [pending, delivering] = [yield* list("pending"), yield* list("delivering")]
      for (const { id, nextAttemptAt } of pending.data) {
        if (Date.parse(nextAttemptAt) - Date.now() > patienceMs)
          yield* server.call(`/webhooks/deliveries/${id}/replay`, { method: "POST" })
      }
      return pending.total + delivering.total === 0
    })
    yield* Until.polled("the end of all deliveries", ask, (isQuiet) => isQuiet, schedules)
    return yield* list("delivered")
  })

describe("kill -9 with webhooks", () => {
  it.live(
    `leaves none pending and sends none twice, in ${cycles} cycles`,
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const receiver = yield* WebhookReceiver.make(answer)
        const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
        yield* Effect.sync(() =>
          process.stdout.write(`kill -9 with webhooks: ${cycles} cycles, SEED=${seed}\n`)
        )
        const { accepted } = yield* Effect.promise(() =>
          Load.killAndRestart({
            directory,
            cycles,
            clients,
            maxAcknowledged,
            seed,
            works: worksOf(receiver),
            env: WebhookReceiver.settings
          })
        )
        const server = yield* Client.start({ dataDirectory: directory })
        const delivered = yield* settle(server)
        const secret = Result.getOrThrow(secretBytes(yield* server.secret))
        assert.strictEqual(yield* server.count("failed"), 0)
        assert.strictEqual(yield* Effect.promise(() => server.kill("SIGTERM")), 0)

        const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(directory))
        const deliveries = [...streams].filter(([name]) => StreamName.categoryOf(name) === "WebhookDelivery")
        for (const [name, events] of deliveries)
          Invariants.checkDelivered(events, receiver.of(StreamName.idOf(name)))
        assert.strictEqual(delivered.total, deliveries.length)
        const ids = new Set(deliveries.map(([name]) => StreamName.idOf(name)))
        for (const { id } of accepted) assert.isTrue(ids.has(Client.deliveryOf(RequestId.make(id))), id)
        for (const { body, headers, id } of receiver.posts()) {
          assert.isTrue(ids.has(id))
          const message = { id, timestamp: String(headers["webhook-timestamp"]), body }
          assert.isTrue(isSigned(secret, message, String(headers["webhook-signature"])), id)
        }
        const lost = deliveries.flatMap(([, events]) => events).filter(({ type }) => type === "AttemptLost")
        yield* Effect.sync(() =>
          process.stdout.write(
            `${accepted.length} requests, ${deliveries.length} deliveries, ${receiver.posts().length} posts, ${lost.length} attempts lost\n`
          )
        )
        assert.isNotEmpty(lost)

        for (const command of [["audit"], ["log", "verify"]]) {
          const { code, stderr, stdout } = yield* Inferlog.run(command, { DATA_DIR: directory })
          assert.strictEqual(code, 0, stdout + stderr)
        }
      }),
    // Of what hangs: beside other servers it takes several times as long.
    150_000 + cycles * 5_000
  )
})
