/** The HTTP API with a dispatcher, all of whose addresses lead through a faulty proxy. Uses the live clock. */
import { Context, Effect, Layer, References } from "effect"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
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

const server = Layer.unwrap(
  Effect.map(Effect.all([Behind, TestProvider]), ([{ url }, { provider }]) =>
    TestServer.layer({
      catalog,
      urls: { queueUrl: url, baseUrl: url, mediaUrl: url, mcpUrl: url },
      dispatches: true,
      providers: [provider]
    })
  )
)

const connected = Layer.effectDiscard(
  Effect.gen(function* () {
    const { port } = yield* TestServer.TestServer
    ;(yield* Behind).toward(port)
  })
)

export const layer = connected.pipe(
  Layer.provideMerge(server),
  Layer.provideMerge(telling),
  Layer.provideMerge(Layer.merge(TestProvider.layer("builtin"), proxy)),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)
