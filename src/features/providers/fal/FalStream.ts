/**
 * Models whose output fal streams (https://docs.fal.ai/documentation/model-apis/inference/streaming): one call past the
 * queue, which is the run. Each event is a JSON value, and the output is complete when the answer ends.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as EventOutput from "../EventOutput.ts"
import type { OutputChunks } from "../OutputChunks.ts"
import type { Job, RunControl } from "../Provider.ts"
import { ProviderHttp, type StreamedAnswer } from "../ProviderHttp.ts"
import * as RunStart from "../RunStart.ts"
import * as Seconds from "../Seconds.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as FalFailure from "./FalFailure.ts"
import { Options } from "./Options.ts"

/** How long to wait for an answer beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

const decode = Schema.decodeUnknownResult(Options, { onExcessProperty: "error" })

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** fal's queue is at a host of its own. The credential goes to no other host that the binding does not name. */
export const urlOf = (url: string | undefined, app: string): string =>
  `${(url ?? "https://fal.run").replace(/^https:\/\/queue\.fal\.run(?=\/|$)/, "https://fal.run").replace(/\/+$/, "")}/${app}/stream`

const memberOf = (name: string | undefined) => (data: JsonText.Spelled) =>
  name === undefined ? data : JsonText.spelledMember(data.value, name)

/** An error takes the place of an event. */
const failureIn = ({ event }: ServerEvents.ServerEvent, json: Json): ProviderOutcome | null => {
  const isError = event === "error" || (isObject(json) && (json["error"] ?? null) !== null)
  return isError ? ErrorOutcomes.modelFailed(json) : null
}

/** The model has no stream. */
const isMissing = ({ status }: Pick<StreamedAnswer, "status">): boolean => status === 404 || status === 405

export const make = Effect.map(ProviderHttp, (http) => {
  const read = Effect.fnUntraced(function* (
    answer: StreamedAnswer,
    chunks: OutputChunks,
    { chunk }: Options
  ): Effect.fn.Return<ProviderOutcome | null, NoAnswer> {
    const chunkIn = memberOf(chunk)
    if (isMissing(answer)) return null
    if (ServerEvents.isStream(answer))
      return yield* EventOutput.read(answer, {
        chunks,
        chunkIn,
        failureIn,
        maxEventSize: ServerEvents.largeEventSize
      })
    const whole = yield* answer.whole
    if (ErrorOutcomes.isSuccess(whole)) return ErrorOutcomes.ofForm(whole)
    return FalFailure.of(whole, false) ?? (yield* ErrorOutcomes.ofAnswer(whole))
  })

  const call = Effect.fnUntraced(
    function* (job: Job, chunks: OutputChunks, control: RunControl) {
      const { binding, input, model } = job
      const options = decode(binding.options ?? {})
      const secret = yield* http.secret(binding)
      // The queue reports what is wrong.
      if (Result.isFailure(options) || secret === null) return null
      const begun = RunStart.make(control)
      yield* begun.unlessRefused
      return yield* http.stream(
        {
          onSent: begun.onSent,
          method: "POST",
          url: urlOf(binding.url, options.success.app),
          headers: { accept: "text/event-stream", authorization: `Key ${Redacted.value(secret)}` },
          body: input,
          timeoutMs: model.timeoutSeconds * 1_000 + graceMs,
          maxBytes: ServerEvents.mostBytes
        },
        (answer) =>
          Effect.andThen(
            ServerEvents.isStream(answer) ? begun.tell : Effect.void,
            read(answer, chunks, options.success)
          )
      )
    },
    Effect.scoped,
    Effect.catchTag("NoAnswer", (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error)))
  )

  /** How the run ended; `null` if the model has no stream. */
  return (job: Job, chunks: OutputChunks, control: RunControl): Effect.Effect<ProviderOutcome | null> =>
    Effect.flatMap(
      Effect.raceFirst(Seconds.ofCall(call(job, chunks, control)), Effect.as(control.stopRequested, stopped)),
      (ended) => (ended === null ? Effect.succeed(null) : chunks.ended(ended))
    )
})
