/** A chat completion as events: chunks, one with the usage, then `[DONE]`. An `error` instead of a chunk fails it. */
import { Effect, Result, Stream } from "effect"
import { Sse } from "effect/encoding"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { NoAnswer } from "../NoAnswer.ts"
import { type StreamedAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import type * as ChatAssembly from "./ChatAssembly.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"

/** Characters of one event. A chunk has a few tokens; their `logprobs` are the largest part. */
const maxEventSize = 1024 * 1024

/** What the stream had when it ended. */
type End = "done" | "babbles" | { readonly error: Json }

const cutOff = ErrorOutcomes.failed("The provider's stream ended before its answer was complete.", true)

/** What a reader does with a stream. */
export interface Reading {
  /** Takes every chunk, so that it also knows what a stream that is cut has made. */
  readonly assembly: ChatAssembly.ChatAssembly
  /** Called with the number of parts so far, whenever there are more. */
  readonly onParts: (parts: number) => Effect.Effect<void>
  /** Called with each chunk as it arrives. Must neither wait nor throw. */
  readonly onChunk: (chunk: JsonObject) => void
}

export const read = Effect.fnUntraced(function* (
  body: StreamedAnswer["body"],
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

  const parser = Sse.makeParser(
    (event) => {
      if (event._tag === "Retry" || end !== null) return
      end =
        event.data.trim() === "[DONE]"
          ? "done"
          : takeChunk(Result.getOrUndefined(JsonBytes.parse(Buffer.from(event.data))))
    },
    { maxEventSize }
  )

  const take = (text: string) => {
    const before = assembly.parts()
    if (parser.feed(text) !== undefined) return Effect.fail(new NoAnswer({ reason: "too_large" }))
    return assembly.parts() === before ? Effect.void : onParts(assembly.parts())
  }

  yield* body.pipe(
    Stream.decodeText(),
    Stream.tap(take),
    Stream.takeUntil(() => end !== null),
    Stream.runDrain
  )
  return yield* outcomeOf(end, assembly)
})

/** Servers without `[DONE]` are done when each choice has a finish reason. */
const outcomeOf = (end: End | null, assembly: ChatAssembly.ChatAssembly): Effect.Effect<ProviderOutcome> => {
  if (end === "babbles") return Effect.succeed(ErrorOutcomes.babble)
  if (end !== null && end !== "done") return OpenaiErrorOutcomes.ofStreamed(end.error)
  if (end === null && !assembly.isFinished()) return Effect.succeed(cutOff)
  const output = assembly.completion()
  return Effect.succeed(
    output === null ? ErrorOutcomes.babble : { _tag: "Succeeded", output, delivered: null }
  )
}
