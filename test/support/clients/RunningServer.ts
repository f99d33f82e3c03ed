/** The HTTP API with a dispatcher that runs the built-in models, in this process. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer, References } from "effect"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as Dispatcher from "#src/features/dispatch/Dispatcher.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { BuiltinProvider } from "#src/features/providers/builtin/BuiltinProvider.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as TestServer from "#test/support/TestServer.ts"

const finalizer = Finalizer.layer.pipe(
  Layer.provide([RemoteMedia.layer, Thumbnails.layerNoDeps(null)]),
  Layer.provide([
    OutboundGuard.layer({ admitted: [] }),
    Scratch.layer,
    VisionWorkers.layer,
    NodeFileSystem.layer
  ])
)

const providers = Layer.unwrap(Effect.map(BuiltinProvider, (provider) => Providers.layerOf([provider]))).pipe(
  Layer.provide(BuiltinProvider.layer),
  Layer.provide([OutboundGuard.layer({ admitted: [] }), Scratch.layer])
)

/** With the built-in catalog on its log. Uses the live clock. */
export const layer = Dispatcher.layer.pipe(
  Layer.provideMerge(Runs.layer),
  Layer.provide([finalizer, providers]),
  Layer.provideMerge(DueWork.layer),
  Layer.provideMerge(TestServer.layer({ catalogOnLog: true })),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)
