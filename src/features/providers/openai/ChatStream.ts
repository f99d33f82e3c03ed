/** A chat completion as events: chunks, one with the usage, then `[DONE]`. An `error` instead of a chunk fails it. */
import { Effect } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import type { StreamedAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as ServerEvents from "../ServerEvents.ts"
import type * as ChatAssembly from "./ChatAssembly.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"

/** What the stream had when it ended. */
type End = "done" | "babbles" | { readonly error: Json }

/** What a reader does with a stream. */
export interface Reading {
  /** Takes every chunk, so that it also knows what a stream that is cut has made. */
  readonly assembly: ChatAssembly.ChatAssembly
  /** Called with the number of parts so far, whenever there are more. */
  readonly onParts: (parts: number) => void
  /** Called with each chunk as it arrives. Neither may throw. */
  readonly onChunk: (chunk: JsonObject) => void
}

export const read = Effect.fnUntraced(function* (
  answer: Pick<StreamedAnswer, "each">,
  { assembly, onChunk, onParts }: Reading
): Effect.fn.Return<ProviderOutcome, NoAnswer> {
  let end: End | null = null

  const takeChunk = (chunk: Json | undefined): End | null => {
    const error = isObject(chunk) ? (chunk["error"] ?? null) : null
    if (error !== null) return { error }
    if (!isObject(chunk) || !assembly.take(chunk)) return "babbles"
    onChunk(chunk)
    return null
  }

  const take = (event: ServerEvents.ServerEvent): boolean => {
    const before = assembly.parts()
    end = event.data.trim() === "[DONE]" ? "done" : takeChunk(ServerEvents.jsonOf(event))
    if (assembly.parts() !== before) onParts(assembly.parts())
    return end === null
  }

  yield* ServerEvents.read(answer, take)
  return yield* outcomeOf(end, assembly)
})

/** Servers without `[DONE]` are done when each choice has a finish reason. */
const outcomeOf = (end: End | null, assembly: ChatAssembly.ChatAssembly): Effect.Effect<ProviderOutcome> => {
  if (end === "babbles") return Effect.succeed(ErrorOutcomes.babble)
  if (end !== null && end !== "done") return OpenaiErrorOutcomes.ofStreamed(end.error)
  if (end === null && !assembly.isFinished()) return Effect.succeed(ErrorOutcomes.cutOff)
  const output = assembly.completion()
  return Effect.succeed(
    output === null ? ErrorOutcomes.babble : { _tag: "Succeeded", output, delivered: null }
  )
}
