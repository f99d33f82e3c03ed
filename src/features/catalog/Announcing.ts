/** Publishes and withdraws the items of one kind. */
import { Clock, Effect } from "effect"
import type * as Offering from "#domain/catalog/Offering.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { ListingActors, OfferingActors } from "./CatalogActors.ts"
import {
  EndpointTaken,
  type ItemKind,
  ItemNotFound,
  type PublishedItem,
  type PublishError,
  type PublishOptions
} from "./Publishing.ts"

export interface Announcing<Definition> {
  readonly publish: (
    definition: Definition,
    options: PublishOptions
  ) => Effect.Effect<PublishedItem, PublishError>
  readonly withdraw: (name: string, source: string) => Effect.Effect<void, ItemNotFound | EventStoreError>
}

/** Derived from the state before, so a concurrent change of another node may be reported as ours. */
const changeOf = (
  { events }: { readonly events: ReadonlyArray<unknown> },
  before: { readonly isNew: boolean; readonly isSame: boolean }
): PublishedItem["change"] => {
  if (events.length === 0) return "unchanged"
  if (before.isNew) return "created"
  return before.isSame ? "reactivated" : "updated"
}

const notFound = (name: string) => () => Effect.fail(new ItemNotFound({ name }))

export const offerings = <Definition>(
  actors: OfferingActors,
  kind: Offering.Kind,
  of: (definition: Definition) => {
    readonly definition: Offering.Definition
    readonly endpoint: string
    readonly version: string
  }
): Announcing<Definition> => ({
  publish: Effect.fnUntraced(function* (item, options) {
    const { definition, endpoint, version } = of(item)
    const { state } = yield* actors.refresh(endpoint)
    const at = yield* Clock.currentTimeMillis
    const executed = yield* actors.execute(endpoint, { _tag: "Publish", at, definition, ...options }).pipe(
      Effect.catchTags({
        EndpointTaken: () => Effect.fail(new EndpointTaken({ name: endpoint })),
        ItemNotFound: Effect.die
      })
    )
    const before = {
      isNew: state._tag === "NotPublished",
      // An active one of the same version is published again for the order of its members alone.
      isSame: state._tag === "Published" && state.version === version && state.status !== "active"
    }
    return { kind, name: endpoint, change: changeOf(executed, before), version }
  }),
  withdraw: Effect.fnUntraced(function* (endpoint, source) {
    yield* actors.refresh(endpoint)
    const at = yield* Clock.currentTimeMillis
    yield* actors
      .execute(endpoint, { _tag: "Withdraw", at, source, kind })
      .pipe(Effect.catchTags({ ItemNotFound: notFound(endpoint), EndpointTaken: Effect.die }))
  })
})

/** Repeating it changes nothing. */
export const deprecate = Effect.fnUntraced(function* (
  actors: OfferingActors,
  endpoint: string,
  source: string
): Effect.fn.Return<void, ItemNotFound | EventStoreError> {
  yield* actors.refresh(endpoint)
  const at = yield* Clock.currentTimeMillis
  yield* actors
    .execute(endpoint, { _tag: "Deprecate", at, source })
    .pipe(Effect.catchTags({ ItemNotFound: notFound(endpoint), EndpointTaken: Effect.die }))
})

export const listings = <Definition>(
  actors: ListingActors<Definition>,
  kind: ItemKind,
  { isEqual }: { readonly isEqual: (a: Definition, b: Definition) => boolean },
  nameOf: (definition: Definition) => string
): Announcing<Definition> => ({
  publish: Effect.fnUntraced(function* (definition, options) {
    const name = nameOf(definition)
    const { state } = yield* actors.refresh(name)
    const at = yield* Clock.currentTimeMillis
    const executed = yield* actors
      .execute(name, { _tag: "Publish", at, definition, ...options })
      .pipe(Effect.catchTag("ItemNotFound", Effect.die))
    const before = {
      isNew: state._tag === "NotPublished",
      isSame: state._tag === "Published" && isEqual(state.definition, definition)
    }
    return { kind, name, change: changeOf(executed, before), version: null }
  }),
  withdraw: Effect.fnUntraced(function* (name, source) {
    yield* actors.refresh(name)
    const at = yield* Clock.currentTimeMillis
    yield* actors
      .execute(name, { _tag: "Withdraw", at, source })
      .pipe(Effect.catchTag("ItemNotFound", notFound(name)))
  })
})
