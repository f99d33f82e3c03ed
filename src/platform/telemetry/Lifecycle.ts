/** Logs the start and the end of a server. */
import { Context, Effect, Layer } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"

/** Build it first, so that everything else closes before it. Logs nothing for a server that failed to start. */
export class Lifecycle extends Context.Service<
  Lifecycle,
  { readonly serves: () => void; readonly isServing: () => boolean }
>()("inferlog/src/platform/telemetry/Lifecycle") {
  static readonly layer = Layer.effect(
    Lifecycle,
    Effect.gen(function* () {
      const startedAt = yield* MonotonicTime.millis
      let hasServed = false
      const stopped = Effect.gen(function* () {
        if (!hasServed) return
        const uptime = (yield* MonotonicTime.millis) - startedAt
        yield* Effect.annotateLogs(Effect.logInfo("Stopped"), { uptime_seconds: Math.round(uptime / 1_000) })
      })
      yield* Effect.addFinalizer(() => stopped)
      return { serves: () => void (hasServed = true), isServing: () => hasServed }
    })
  )
}

/** Build it last: the server is listening then, and this layer closes first. */
export const serving = Layer.effectDiscard(
  Effect.gen(function* () {
    const { serves } = yield* Lifecycle
    const { queueUrl } = yield* PublicUrls
    serves()
    yield* Effect.annotateLogs(Effect.logInfo("Listening"), { url: queueUrl, version })
    yield* Effect.addFinalizer(() => Effect.logInfo("Stopping: refusing requests and requeuing runs"))
  })
)
