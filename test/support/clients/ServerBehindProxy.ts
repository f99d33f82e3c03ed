/** The HTTP API with a dispatcher, all of whose addresses lead through a faulty proxy. Uses the live clock. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Layer, References } from "effect"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Dispatcher from "#src/features/dispatch/Dispatcher.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Scratch from "#test/support/Scratch.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FaultyProxy from "./FaultyProxy.ts"

/** Says a text in parts, and ends. */
export const teller = "test/teller"
export const told = ["Once ☃", " upon", " a", " time"]

const concurrency = 100
const catalog = BuiltinCatalog.layerOf([
  testModel(teller, { concurrency, outputSchema: { type: "string" }, output: { stream: "text" } })
])

export class Behind extends Context.Service<Behind, FaultyProxy.FaultyProxy>()("inferlog/test/Behind") {}

const proxy = Layer.effect(
  Behind,
  Effect.acquireRelease(Effect.promise(FaultyProxy.make), (proxy) => Effect.promise(proxy.close))
)

/** Each run lasts some turns of the loop, so that clients see it begin. */
const telling = Layer.effectDiscard(
  Effect.map(TestProvider, ({ answerWith }) =>
    answerWith((_job, control) =>
      Effect.gen(function* () {
        yield* control.started
        for (const part of told) {
          control.chunk(part)
          yield* Effect.sleep("2 millis")
        }
        return succeeded(told.join(""))
      })
    )
  )
)

const finalizer = Finalizer.layer.pipe(
  Layer.provide([
    RemoteMedia.layer,
    Thumbnails.layerNoDeps(null).pipe(Layer.provide(VisionWorkers.layer), Layer.provide(NodeFileSystem.layer))
  ]),
  Layer.provide([OutboundGuard.layer({ admitted: [] }), Scratch.layer])
)

const providers = Layer.unwrap(Effect.map(TestProvider, ({ provider }) => Providers.layerOf([provider])))

const server = Layer.unwrap(
  Effect.map(Behind, ({ url }) =>
    TestServer.layer({ catalog, urls: { queueUrl: url, baseUrl: url, mediaUrl: url, mcpUrl: url } })
  )
)

const connected = Layer.effectDiscard(
  Effect.gen(function* () {
    const { port } = yield* TestServer.TestServer
    ;(yield* Behind).toward(port)
  })
)

export const layer = Layer.merge(Dispatcher.layer, connected).pipe(
  Layer.provideMerge(Runs.layer),
  Layer.provide([finalizer, providers]),
  Layer.provideMerge(telling),
  Layer.provideMerge(TestProvider.layer("builtin")),
  Layer.provideMerge(DueWork.layer),
  Layer.provideMerge(server),
  Layer.provideMerge(proxy),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)
