/** Answers whose events each have a part of the output, and that are complete when they end (Triton, fal). */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"
import type { OutputChunks } from "./OutputChunks.ts"
import type { StreamedAnswer } from "./ProviderHttp.ts"
import * as ServerEvents from "./ServerEvents.ts"

export interface Reading {
  readonly chunks: OutputChunks
  /** The chunk in the data of an event; `undefined` if there is none. */
  readonly chunkIn: (json: Json) => Json | undefined
  /** Why the run has failed, if the data says that. */
  readonly failureIn: (event: ServerEvents.ServerEvent, json: Json) => ProviderOutcome | null
  readonly maxEventSize?: number
}

/** The output of a stream without any event is unknown. */
const succeeded = (chunks: OutputChunks): ProviderOutcome =>
  chunks.size() === 0 ? ErrorOutcomes.babble : { _tag: "Succeeded", output: chunks.output(), delivered: null }

/** The end of the run. Fails if the connection is lost before the end of the answer. */
export const read = (
  answer: Pick<StreamedAnswer, "each">,
  { chunkIn, chunks, failureIn, maxEventSize }: Reading
): Effect.Effect<ProviderOutcome, NoAnswer> =>
  Effect.suspend(() => {
    let end: ProviderOutcome | null = null

    const endAt = (event: ServerEvents.ServerEvent): ProviderOutcome | null => {
      const json = ServerEvents.jsonOf(event)
      if (json === undefined) return ErrorOutcomes.babble
      const failure = failureIn(event, json)
      if (failure !== null) return failure
      const chunk = chunkIn(json)
      if (chunk === undefined) return ErrorOutcomes.babble
      return chunks.take(chunk) ? null : (chunks.fault() ?? ErrorOutcomes.babble)
    }

    const take = (event: ServerEvents.ServerEvent): boolean => {
      end = endAt(event)
      return end === null
    }
    return Effect.map(ServerEvents.read(answer, take, maxEventSize), () => end ?? succeeded(chunks))
  })
