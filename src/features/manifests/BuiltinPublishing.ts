/**
 * Publishes what ships with this release before the server serves, with events only for differences from the log. What
 * an operator deprecated or withdrew stays so until its definition changes; what they replaced stays theirs. If the log
 * refuses, publishing is retried in the background.
 */
import { Effect, Layer, Schedule } from "effect"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import { BuiltinDefinitions } from "./BuiltinItems.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { type Definitions, Publishing } from "#src/features/catalog/Publishing.ts"

const source = "builtin"

/** Streams read at the same time. */
const concurrency = 16

/** Models that are code, and the manifests beside them. */
const definitions = Effect.gen(function* () {
  const ofManifests = yield* yield* BuiltinDefinitions
  const models = [...BuiltinCatalog.builtinModels.map(({ model }) => model), ...ofManifests.models]
  return { ...ofManifests, models } satisfies Definitions
})

/** Items that the log lacks, or that an earlier start published. */
const ours = Effect.fnUntraced(function* (all: Definitions) {
  const reader = yield* EventReader
  const keep = <Definition>(
    category: string,
    items: ReadonlyArray<Definition>,
    nameOf: (item: Definition) => string
  ) =>
    Effect.filter(
      items,
      (item) =>
        Effect.map(reader.read(StreamName.make(category, nameOf(item))), (events) => {
          const last = events.findLast(({ type }) => type.endsWith("Published"))
          return last === undefined || last.data["source"] === source
        }),
      { concurrency }
    )
  const { category } = Offering.aggregate
  return {
    models: yield* keep(category, all.models, ({ endpoint }) => endpoint),
    wrappers: yield* keep(category, all.wrappers, ({ endpoint }) => endpoint),
    collections: yield* keep(Listing.collections.category, all.collections, ({ slug }) => slug),
    gpus: yield* keep(Listing.gpus.category, all.gpus, ({ id }) => id),
    templates: yield* keep(Listing.deploymentTemplates.category, all.templates, ({ id }) => id)
  } satisfies Definitions
})

/** Retries after 1, 2, 4 … seconds, then once a minute. */
const again = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])

const publish = Effect.gen(function* () {
  const publishing = yield* Publishing
  const tell = RateLimitedLog.make()
  const attempt = Effect.flatMap(definitions, ours).pipe(
    Effect.flatMap((definitions) => publishing.publish(definitions, { source, reactivates: false })),
    Effect.tapCause((cause) => tell(Effect.logError("Not all models of this release are published", cause))),
    Effect.sandbox
  )
  const retried = attempt.pipe(
    Effect.retry(again),
    Effect.andThen(Effect.logInfo("All models of this release are published now")),
    Effect.orDie
  )
  yield* Effect.catch(attempt, () => Effect.asVoid(Effect.forkScoped(Effect.delay(retried, "1 second"))))
})

/** Ready after the first try, because a log that cannot be written can still be read. */
export const layer = Layer.effectDiscard(publish).pipe(Layer.provide(BuiltinDefinitions.layer))
