/** The chunks of a run of a model that streams: reported as they come, added up, and made to agree with the output. */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type * as JsonText from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Job, RunControl } from "./Provider.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"
import * as OutputAssembly from "./OutputAssembly.ts"

export interface OutputChunks {
  /**
   * Reports a chunk. `false`: it is invalid, or the output becomes too large, so that the run ends in `fault`. `scalar`: the text
   * of a chunk that cannot remember it.
   */
  readonly take: (chunk: Json, scalar?: string | null) => boolean
  /** `null` unless `take` has returned `false`. */
  readonly fault: () => ProviderOutcome | null
  /** What the provider has made until now does not count. */
  readonly restart: () => void
  /** The number of chunks since the last restart. */
  readonly size: () => number
  /** What they add up to. */
  readonly output: () => JsonText.Spelled
  /**
   * The outcome of the run with this end. The provider's output is the run's output: if the chunks add up to something else,
   * they are replaced. A run that the client stopped ends with what it has made; one that stopped by itself is not complete.
   */
  readonly ended: (outcome: ProviderOutcome) => Effect.Effect<ProviderOutcome>
}

const tooLarge = ErrorOutcomes.failed("The output of the run is too large.", false)

/**
 * `null` if the model's output is shown when the run has ended. `isNew`: false for the run of a former process, whose chunks
 * do not count any more once this one has some.
 */
export const make = (
  { model: { output } }: Pick<Job, "model">,
  control: Pick<RunControl, "chunk" | "restartChunks" | "stopRequested">,
  isNew = true
): OutputChunks | null => {
  if (output === undefined || output.stream === "openai") return null
  const kind = output.stream
  const assembly = OutputAssembly.make(kind)
  let fault: ProviderOutcome | null = null
  let isStale = !isNew

  const isStopped = Effect.raceFirst(
    Effect.as(control.stopRequested, true),
    Effect.as(Effect.yieldNow, false)
  )

  const forgetFormer = () => {
    if (isStale) control.restartChunks()
    isStale = false
  }

  const take = (chunk: Json, scalar: string | null = null): boolean => {
    forgetFormer()
    const wrong = assembly.take(chunk, scalar)
    if (wrong === null) control.chunk(chunk, scalar)
    else fault = wrong === "too_large" ? tooLarge : ErrorOutcomes.babble
    return wrong === null
  }

  const restart = () => {
    if (assembly.size() === 0) return
    assembly.restart()
    control.restartChunks()
  }

  /** What was not reported yet may also come with the output. */
  const agree = (output: JsonText.Spelled) => {
    const made = assembly.output().value
    if (assembly.size() > 0 && isDeepStrictEqual(made, output.value)) return
    const rest = OutputAssembly.restOf(kind, made, output)
    if (rest === null) restart()
    forgetFormer()
    const missing = rest ?? OutputAssembly.restOf(kind, assembly.output().value, output) ?? []
    missing.forEach(({ scalar, value }) => take(value, scalar))
  }

  return {
    take,
    fault: () => fault,
    restart,
    size: assembly.size,
    output: assembly.output,
    ended: (outcome) => {
      if (outcome._tag === "Stopped" && assembly.size() > 0) {
        return Effect.map(isStopped, (isStopped): ProviderOutcome =>
          isStopped ? { _tag: "CutShort", output: assembly.output().value } : outcome
        )
      }
      return Effect.sync(() => {
        if (outcome._tag !== "Succeeded") return outcome
        const output = OutputAssembly.formed(kind, outcome.output)
        agree({ value: output, scalar: outcome.text ?? null })
        return { ...outcome, output }
      })
    }
  }
}
