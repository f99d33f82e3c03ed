import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Ref, References, Schema, Stream } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Announcer from "#src/features/demand/announcing/Announcer.ts"
import { Demand } from "#src/features/demand/Demand.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import { OutboundAuthorities } from "#src/kernel/outbound/Connection.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as Until from "#test/support/Until.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"

const secrets = [
  StandardWebhooks.secretText(Buffer.alloc(32, 1)),
  StandardWebhooks.secretText(Buffer.alloc(24, 2))
]

const made = testModel("acme/up")
const pulled = { ...made, model: { ...made.model, providers: [{ name: "gpus", adapter: "pull" }] as const } }
const up = pulled.model.endpoint

const readSide = ReadSide.layer.pipe(
  Layer.provideMerge(SkippedTime.layer),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
)

const Body = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.String,
      model: Schema.String,
      queued: Schema.Int,
      running: Schema.Int,
      at: Schema.String
    })
  )
)

/** Sends to the receiver while the node has the lease. */
const announcer = (url: string, isHeld: Ref.Ref<boolean>) =>
  Layer.fresh(Announcer.layer).pipe(
    Layer.provide(Demand.layer),
    Layer.provide([
      BuiltinCatalog.layerOf([pulled, testModel("test/single")]),
      Layer.succeed(Lease, { isHeld: Ref.get(isHeld), gains: Stream.never }),
      Layer.succeed(OutboundAuthorities, [Receiver.authority]),
      Layer.succeed(References.MinimumLogLevel, "None"),
      ConfigProvider.layer(
        ConfigProvider.fromUnknown({
          DEMAND_WEBHOOK_URL: url,
          DEMAND_WEBHOOK_SECRET: secrets.join(" "),
          DEMAND_IDLE_AFTER: "1 second"
        })
      )
    ])
  )

const settle = ReadSide.settle(DueWorkProjection.projection.name)

/** The posts, as soon as there are so many. Until then, time is skipped. */
const posts = Effect.fnUntraced(function* (receiver: WebhookReceiver.WebhookReceiver, count: number) {
  const { until } = yield* SkippedTime
  return yield* until("100 millis")(
    Until.answers(async () => {
      const found = receiver.posts()
      if (found.length < count) throw new Error(`${found.length} of ${count} posts have come`)
      return found.map((post) => ({ ...post, body: Body(post.body.toString()), bytes: post.body }))
    })
  )
})

const typesOf = (found: ReadonlyArray<{ readonly body: ReturnType<typeof Body> }>) =>
  found.map(({ body }) => body.type)

const header = (value: string | ReadonlyArray<string> | undefined) =>
  typeof value === "string" ? value : null

describe("The announcer of demand", { concurrent: true }, () => {
  it.live("posts signed changes to a private receiver, and again those that failed, with the same id", () =>
    Effect.gen(function* () {
      let turn = 0
      const receiver = yield* WebhookReceiver.make((_, response) => {
        response.writeHead(turn++ === 0 ? 503 : 204).end()
      })
      yield* Layer.build(announcer(receiver.url("/scale"), yield* Ref.make(true)))
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, up))
      // A model of this program itself is not announced.
      yield* RequestLog.append(2, RequestLog.submitted(RequestLog.alice, ModelEndpoint.make("test/single")))
      yield* settle
      const [refused, accepted] = yield* posts(receiver, 2)
      assert.strictEqual(refused?.path, "/scale")
      assert.strictEqual(refused?.id, accepted?.id)
      assert.deepStrictEqual(accepted?.body, {
        type: "model.active",
        model: up,
        queued: 1,
        running: 0,
        at: accepted?.body.at ?? ""
      })
      const received = {
        id: accepted?.id ?? null,
        timestamp: header(accepted?.headers["webhook-timestamp"]),
        signature: header(accepted?.headers["webhook-signature"]),
        body: accepted?.bytes ?? new Uint8Array()
      }
      for (const secret of secrets) {
        const checks = StandardWebhooks.check({ received, secret, now: Date.now() })
        assert.deepStrictEqual(
          checks.filter(({ outcome }) => outcome !== "ok"),
          []
        )
      }

      yield* RequestLog.append(1, RequestLog.dispatched(1), RequestLog.completed(1))
      yield* settle
      const all = yield* posts(receiver, 3)
      assert.deepStrictEqual(typesOf(all), ["model.active", "model.active", "model.idle"])
      assert.notStrictEqual(all[2]?.id, accepted?.id)
    }).pipe(Effect.provide(readSide))
  )

  it.live("sends the state again after a crash, and only on the node with the lease", () =>
    Effect.gen(function* () {
      const receiver = yield* WebhookReceiver.make()
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, up), RequestLog.dispatched(1))
      yield* settle
      const isHeld = yield* Ref.make(false)
      const other = yield* Ref.make(true)
      yield* Layer.build(announcer(receiver.url("/waits"), isHeld))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(announcer(receiver.url("/dies"), other))
          const [first] = yield* posts(receiver, 1)
          assert.deepInclude(first?.body, { type: "model.active", queued: 0, running: 1 })
        })
      )
      yield* Ref.set(isHeld, true)
      const both = yield* posts(receiver, 2)
      assert.deepStrictEqual(
        both.map(({ path }) => path),
        ["/dies", "/waits"]
      )
      assert.deepStrictEqual(typesOf(both), ["model.active", "model.active"])
    }).pipe(Effect.provide(readSide))
  )

  it.effect("does not start without a secret, and does nothing without a URL", () =>
    Effect.gen(function* () {
      const start = (settings: Readonly<Record<string, string>>) =>
        Layer.build(
          Announcer.layer.pipe(
            Layer.provide(Demand.layer),
            Layer.provide([
              BuiltinCatalog.layerOf([pulled]),
              Lease.layerSingle,
              ConfigProvider.layer(ConfigProvider.fromUnknown(settings))
            ])
          )
        ).pipe(Effect.flip, Effect.option)
      const error = yield* start({ DEMAND_WEBHOOK_URL: "https://scaler.internal" })
      assert.strictEqual(Option.getOrUndefined(error)?._tag, "DemandSecretMissing")
      assert.isTrue(Option.isNone(yield* start({})))
    }).pipe(Effect.provide(readSide))
  )
})
