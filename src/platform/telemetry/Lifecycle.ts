/** The two ends of a server's life in its log. */
import { Context, Effect, Layer } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"

/** To be built first: all else is closed before it. A server that never served has failed to start, which is told elsewhere. */
export class Lifecycle extends Context.Service<Lifecycle, { readonly serves: () => void }>()(
  "inferlog/src/platform/telemetry/Lifecycle"
) {
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
      return { serves: () => void (hasServed = true) }
    })
  )
}

/** To be built last: the server serves by then, and it is closed first. */
export const serving = Layer.effectDiscard(
  Effect.gen(function* () {
    const { serves } = yield* Lifecycle
    const { queueUrl } = yield* PublicUrls
    serves()
    yield* Effect.annotateLogs(Effect.logInfo("Listening"), { url: queueUrl, version })
    yield* Effect.addFinalizer(() => Effect.logInfo("Stopping: requests are refused, runs are given back"))
  })
)
