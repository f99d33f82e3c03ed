/** What a claimed run needs before it goes to its provider: its model, its input, and the binding. */
import { Effect, Schedule } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import { Payloads, type Unreadable } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import * as Fallback from "./Fallback.ts"
import * as Mapping from "./Mapping.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import type { Claimed } from "./Claimed.ts"

export interface Prepared extends Mapping.MappedRun {
  /** For the provider. */
  readonly input: Json
}

/** Parsing an input of this size takes some ms, so other work gets a turn first, characters. */
const largeInput = 512 * 1024

/** An unreadable log is not the provider's fault and costs the request no try. */
const logAway = { schedule: Schedule.spaced("1 second"), times: 300 }

/** Wait between looks for the model of a run that cannot be released, and the longest such wait. */
const modelAwayMs = 1_000
const longestModelAwayMs = 60_000

/** Neither an end nor a try: a node that knows the model runs the request, or this one later. */
const withoutModel = ({ request: { attempt } }: Claimed): RunOutcome => ({
  _tag: "RateLimited",
  retryAfterMs: Math.min(modelAwayMs * 2 ** Math.min(attempt, 10), longestModelAwayMs)
})

const withoutInput = (error: Unreadable): Effect.Effect<never, RunOutcome> =>
  error._tag === "PayloadUnavailable"
    ? Effect.fail(OutcomeRecord.refused(`The input is ${error.reason}.`))
    : Effect.andThen(
        Effect.logError("The input of a run cannot be read", error),
        Effect.fail(OutcomeRecord.broken("The input cannot be read."))
      )

/** Settled if everything is in memory. Fails with the outcome of a run that cannot go to its provider. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const payloads = yield* Payloads

  const entryOf = (claimed: Claimed): Effect.Effect<CatalogEntry | null, RunOutcome> => {
    const { model, modelVersion } = claimed.request.submitted
    const find = () => catalog.findVersion(model, modelVersion)
    return Effect.catchEager(find(), (error) =>
      claimed.jobId === null
        ? Effect.andThen(Effect.logWarning("A run is released", error), Effect.fail(withoutModel(claimed)))
        : Effect.logWarning("A run that was taken over waits for its model", error).pipe(
            Effect.andThen(Effect.retry(Effect.suspend(find), Schedule.spaced(modelAwayMs))),
            Effect.orDie
          )
    )
  }

  const textOf = ({ id, request }: Claimed): Effect.Effect<string, RunOutcome> => {
    const stream = StreamName.make(InferenceRequest.aggregate.category, id)
    const opened = payloads.open(stream, "input", request.submitted.payloads.input)
    return Settled.hasSucceeded(opened)
      ? opened
      : opened.pipe(
          Effect.retry({ ...logAway, while: ({ _tag }) => _tag === "EventStoreError" }),
          Effect.catch(withoutInput)
        )
  }

  const map = (entry: CatalogEntry, request: Request, text: string) =>
    Effect.flatMapEager(Mapping.findBinding(catalog, entry, request), (binding) => {
      const run = { entry, binding, submitted: JsonText.parse(text) }
      return Mapping.inputOf(run).pipe(
        Effect.mapEager((input): Prepared => ({ ...run, input })),
        Effect.mapErrorEager((outcome) => Fallback.of(outcome, entry, request))
      )
    })

  return (claimed: Claimed): Effect.Effect<Prepared, RunOutcome> =>
    Effect.flatMapEager(entryOf(claimed), (entry) =>
      entry === null
        ? Effect.fail(OutcomeRecord.refused("The model is no longer offered."))
        : Effect.flatMapEager(textOf(claimed), (text) =>
            text.length < largeInput
              ? map(entry, claimed.request, text)
              : Effect.andThen(
                  Effect.yieldNow,
                  Effect.suspend(() => map(entry, claimed.request, text))
                )
          )
    )
})
