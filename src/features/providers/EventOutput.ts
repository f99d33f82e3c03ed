/** Answers whose events each have a part of the output, and that are complete when they end (Triton, fal). */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type * as JsonText from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"
import type { OutputChunks } from "./OutputChunks.ts"
import type { ProviderAnswer, StreamedAnswer } from "./ProviderHttp.ts"
import * as ReportedOutput from "./ReportedOutput.ts"
import * as ServerEvents from "./ServerEvents.ts"

export interface Reading {
  readonly chunks: OutputChunks
  /** The chunk in the data of an event; `undefined` for an event without a chunk. */
  readonly chunkIn: (data: JsonText.Spelled) => JsonText.Spelled | undefined
  /** Why the run has failed, if the data says that. */
  readonly failureIn: (event: ServerEvents.ServerEvent, json: Json) => ProviderOutcome | null
  readonly maxEventSize?: number
}

type Whole = Pick<Reading, "chunks" | "chunkIn">

/** The output of a stream without any event is unknown. */
const succeeded = (chunks: OutputChunks): ProviderOutcome =>
  chunks.size() === 0
    ? ErrorOutcomes.cutOff
    : { _tag: "Succeeded", ...ReportedOutput.ofSpelled(chunks.output()), delivered: null }

/** Takes the chunk in the data. Why the run has failed with it, or `null`. */
const taken = (data: JsonText.Spelled, { chunkIn, chunks }: Whole): ProviderOutcome | null => {
  const chunk = chunkIn(data)
  if (chunk === undefined) return ErrorOutcomes.babble
  return chunks.take(chunk.value, chunk.scalar) ? null : (chunks.fault() ?? ErrorOutcomes.babble)
}

/** The end of a run whose answer is no stream but one value, which has the only chunk. */
export const ofOne = (answer: ProviderAnswer, whole: Whole): ProviderOutcome =>
  answer.json === undefined
    ? ErrorOutcomes.ofForm(answer)
    : (taken({ value: answer.json, scalar: null }, whole) ?? succeeded(whole.chunks))

/** The end of the run. Fails if the connection is lost before the end of the answer. */
export const read = (
  answer: Pick<StreamedAnswer, "each">,
  { chunkIn, chunks, failureIn, maxEventSize }: Reading
): Effect.Effect<ProviderOutcome, NoAnswer> =>
  Effect.suspend(() => {
    let end: ProviderOutcome | null = null

    const endAt = (event: ServerEvents.ServerEvent): ProviderOutcome | null => {
      const data = ServerEvents.spelledOf(event)
      if (data === undefined) return ErrorOutcomes.ofEvent(event)
      const failure = failureIn(event, data.value)
      if (failure !== null) return failure
      return taken(data, { chunks, chunkIn })
    }

    const take = (event: ServerEvents.ServerEvent): boolean => {
      end = endAt(event)
      return end === null
    }
    return Effect.map(ServerEvents.read(answer, take, maxEventSize), () => end ?? succeeded(chunks))
  })
