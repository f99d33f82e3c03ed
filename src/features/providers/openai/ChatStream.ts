/** A chat completion as events: chunks, one with the usage, then `[DONE]`. An `error` instead of a chunk fails it. */
import { Effect, Result, Stream } from "effect"
import { Sse } from "effect/encoding"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { NoAnswer } from "../NoAnswer.ts"
import { type StreamedAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as ChatAssembly from "./ChatAssembly.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"

/** Characters of one event. A chunk has a few tokens; their `logprobs` are the largest part. */
const maxEventSize = 1024 * 1024

/** What the stream had when it ended. */
type End = "done" | "babbles" | { readonly error: Json }

const cutOff = ErrorOutcomes.failed("The provider's stream ended before its answer was complete.", true)

/** `onParts` is called with the number of parts so far, whenever there are more. */
export const read = Effect.fnUntraced(function* (
  body: StreamedAnswer["body"],
  onParts: (parts: number) => Effect.Effect<void>
): Effect.fn.Return<ProviderOutcome, NoAnswer> {
  const assembly = ChatAssembly.make()
  let end: End | null = null

  const takeChunk = (chunk: Json | undefined): End | null => {
    const error = isObject(chunk) ? (chunk["error"] ?? null) : null
    if (error !== null) return { error }
    return chunk !== undefined && assembly.take(chunk) ? null : "babbles"
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
