import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { echo } from "#src/features/catalog/models/builtin/sandbox/Echo.ts"
import { perRequest, sandboxDefaults } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"
import { visionModels } from "#src/features/catalog/models/builtin/vision/VisionModels.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { BuiltinProvider } from "#src/features/providers/builtin/BuiltinProvider.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as RecordedRun from "#test/support/src/features/providers/builtin/sandbox/RecordedRun.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const own = "http://127.0.0.1:8080"

const unknownModel = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  endpoint: "sandbox/none",
  displayName: "None",
  description: "",
  tags: [],
  inputSchema: {},
  outputSchema: {},
  exampleInput: null
})

/** No name resolves, so these models run without internet access. */
const offline = OutboundGuard.layer({ admitted: [], resolve: () => Effect.succeed([]) })

const alone = Layer.unwrap(Effect.map(BuiltinProvider, (builtin) => Providers.layerOf([builtin])))

const services = Layer.merge(
  alone.pipe(Layer.provideMerge(BuiltinProvider.layer)),
  BuiltinCatalog.layer
).pipe(
  Layer.provide(MediaServices.layer),
  Layer.provide([
    MemoryBlobStore.layer,
    Scratch.layer,
    PublicUrls.layerOf({ queueUrl: own, baseUrl: own, mediaUrl: own, mcpUrl: own }),
    offline
  ])
)

describe("BuiltinProvider", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each([echo, ...visionModels])(
      "runs the example of $model.endpoint offline, with a valid output",
      ({ model, quantities }) =>
        Effect.gen(function* () {
          const provider = (yield* Providers).find(model.providers[0].adapter)
          const entry = yield* Effect.flatMap(Catalog, (catalog) => catalog.find(model.endpoint))
          assert.isNotNull(provider)
          const { control, reports } = yield* RecordedRun.make
          const outcome = yield* provider.run(RecordedRun.jobOf(model, model.exampleInput), control)
          assert(outcome._tag === "Succeeded" && outcome.delivered !== null, outcome._tag)
          assert.deepStrictEqual(entry?.validateOutput(outcome.output), [])
          assert.isTrue(outcome.delivered <= quantities(model.exampleInput).maxQuantity)
          assert.deepStrictEqual(reports, ["started"])
        })
    )

    it.effect("rejects a model that it does not have for good", () =>
      Effect.gen(function* () {
        const provider = yield* BuiltinProvider
        const { control } = yield* RecordedRun.make
        const outcome = yield* provider.run(RecordedRun.jobOf(unknownModel.model, null), control)
        assert(outcome._tag === "ProviderError")
        assert.isFalse(outcome.retryable)
      })
    )

    it.effect("has lost every run of a former process", () =>
      Effect.gen(function* () {
        const provider = yield* BuiltinProvider
        const { control } = yield* RecordedRun.make
        const outcome = yield* provider.reattach(
          RecordedRun.jobOf(echo.model, { value: 1 }),
          "job-1",
          control
        )
        assert.strictEqual(outcome._tag, "Lost")
      })
    )
  })
})
