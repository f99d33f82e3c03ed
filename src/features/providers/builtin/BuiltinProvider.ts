/** The provider of the built-in models: `sandbox/*` on timers, `vision/*` in worker threads. */
import { Context, Effect, Layer } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Provider } from "../Provider.ts"
import * as SandboxRuns from "./SandboxRuns.ts"
import { VisionRuns } from "./vision/VisionRuns.ts"

const lost: ProviderOutcome = {
  _tag: "Lost",
  message: "The run was lost with the process that ran it."
}

export class BuiltinProvider extends Context.Service<BuiltinProvider, Provider>()(
  "inferlog/src/features/providers/builtin/BuiltinProvider"
) {
  static readonly layerNoDeps = Layer.effect(
    BuiltinProvider,
    Effect.gen(function* () {
      const vision = yield* VisionRuns

      const run: Provider["run"] = (job, control) =>
        (SandboxRuns.find(job.model.endpoint) ?? vision.run)(job, control)

      return BuiltinProvider.of({
        adapter: "builtin",
        run,
        /** No run survives the process. */
        reattach: () => Effect.succeed(lost),
        look: () => Effect.succeed({ _tag: "Unknown" })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(VisionRuns.layer))
}
