/** A completion as events: chunks, one with the usage, then `[DONE]`. An error instead of a chunk fails it. */
import { Effect } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import type { StreamedAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as ServerEvents from "../ServerEvents.ts"
import type * as ChatAssembly from "./ChatAssembly.ts"
import * as ChatEvent from "./ChatEvent.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"

/** What a reader does with a stream. */
export interface Reading {
  /** Takes every chunk, so that it also knows what a stream that is cut has made. */
  readonly assembly: ChatAssembly.ChatAssembly
  /** Called with the number of parts so far, whenever there are more. */
  readonly onParts: (parts: number) => void
  /** Called with each chunk as it arrives, as the assembly shows it. Neither may throw. */
  readonly onChunk: (chunk: JsonObject) => void
}

export const read = Effect.fnUntraced(function* (
  answer: Pick<StreamedAnswer, "each">,
  { assembly, onChunk, onParts }: Reading
): Effect.fn.Return<ProviderOutcome, NoAnswer> {
  let end: ChatEvent.ChatEvent | null = null
  let babble = ErrorOutcomes.babble

  /** The event if the stream ends with it. */
  const endAt = (event: ChatEvent.ChatEvent): ChatEvent.ChatEvent | null => {
    if (event._tag === "Idle") return null
    if (event._tag !== "Chunk") return event
    const shown = assembly.take(event.chunk)
    if (shown === null) return { _tag: "Babble" }
    onChunk(shown)
    return null
  }

  const take = (event: ServerEvents.ServerEvent): boolean => {
    const before = assembly.parts()
    end = endAt(ChatEvent.of(event))
    if (end?._tag === "Babble") babble = ErrorOutcomes.ofEvent(event)
    if (assembly.parts() !== before) onParts(assembly.parts())
    return end === null
  }

  yield* ServerEvents.read(answer, take)
  const outcome = wasBabble(end) ? babble : yield* outcomeOf(end, assembly)
  const last = outcome._tag === "Succeeded" ? assembly.release() : null
  if (last !== null) onChunk(last)
  return outcome
})

const wasBabble = (end: ChatEvent.ChatEvent | null): boolean => end?._tag === "Babble"

const outcomeOf = (
  end: ChatEvent.ChatEvent | null,
  assembly: ChatAssembly.ChatAssembly
): Effect.Effect<ProviderOutcome> => {
  if (end?._tag === "Failed") return OpenaiErrorOutcomes.ofStreamed(end.error, assembly.parts() > 0)
  // Servers without `[DONE]` are done when each choice has a finish reason.
  if (end === null && !assembly.isFinished()) return Effect.succeed(ErrorOutcomes.cutOff)
  const output = assembly.completion()
  return Effect.succeed(
    output === null ? ErrorOutcomes.babble : { _tag: "Succeeded", output, delivered: null }
  )
}
