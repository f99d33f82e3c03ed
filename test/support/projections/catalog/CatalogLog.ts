/** Writes a catalog to the log with the domain's events, for tests of its read model. */
import { Effect } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { collection, gpu, model, template, wrapper } from "#test/support/CatalogDefinitions.ts"
import { t0 } from "#test/support/projections/RequestLog.ts"

let written = 0

const appending =
  <State, Command, Event extends DomainEvent, Rejection>({
    category,
    codec
  }: Aggregate<State, Command, Event, Rejection>) =>
  (name: string, event: Event) =>
    Effect.flatMap(EventStore, (store) =>
      store.append({
        stream: StreamName.make(category, name),
        expected: ExpectedVersion.Any,
        events: [{ id: `catalog-${written++}`, ...codec.encode(event) }]
      })
    )

export const offering = appending(Offering.aggregate)
const collections = appending(Listing.collections)
const gpus = appending(Listing.gpus)
const templates = appending(Listing.deploymentTemplates)

const source = "command"

export const flux = [
  model("acme/flux"),
  model("acme/flux", { description: "Better." }),
  model("acme/flux", { concurrency: 9 })
] as const

export const logo = wrapper("acme/logo", "acme/flux")

/** Everything that can happen to the items of a catalog. */
export const lived = Effect.gen(function* () {
  const [first, second] = flux
  yield* offering("acme/flux", { _tag: "ModelPublished", at: t0, source, model: first })
  yield* offering("acme/logo", { _tag: "WrapperPublished", at: t0 + 1, source, wrapper: logo })
  yield* offering("acme/flux", { _tag: "ModelDeprecated", at: t0 + 2 })
  yield* offering("acme/flux", { _tag: "ModelPublished", at: t0 + 3, source, model: second })
  yield* offering("acme/flux", { _tag: "ModelPublished", at: t0 + 4, source, model: first })
  yield* offering("acme/logo", { _tag: "ModelWithdrawn", at: t0 + 5 })
  yield* offering("acme/logo", { _tag: "ModelReactivated", at: t0 + 6, source })
  const start = collection("start", ["acme/flux"])
  yield* collections("start", { _tag: "CollectionPublished", at: t0 + 7, source, collection: start })
  yield* collections("start", { _tag: "CollectionWithdrawn", at: t0 + 8 })
  yield* gpus("rtx", { _tag: "GpuPublished", at: t0 + 9, source, gpu: gpu("rtx") })
  yield* gpus("rtx", { _tag: "GpuPublished", at: t0 + 10, source, gpu: gpu("rtx", 2) })
  yield* templates("vllm", {
    _tag: "DeploymentTemplatePublished",
    at: t0 + 11,
    source,
    template: template("vllm")
  })
  yield* gpus("old", { _tag: "GpuPublished", at: t0 + 12, source, gpu: gpu("old") })
  yield* gpus("old", { _tag: "GpuWithdrawn", at: t0 + 13 })
  yield* templates("none", { _tag: "DeploymentTemplateWithdrawn", at: t0 + 14 })
})
