/** These actors do not follow the log: refresh one before using it, because another node may have published. */
import { Context, Effect, Layer } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import * as Actors from "#streams/Actors.ts"

export type OfferingActors = Actors.Actors<
  Offering.State,
  Offering.Command,
  Offering.Event,
  Offering.Rejection
>

/** For any event type. */
export type ListingActors<Definition> = Pick<
  Actors.Actors<Listing.State<Definition>, Listing.Command<Definition>, unknown, Listing.Rejection>,
  "refresh" | "execute"
>

export class CatalogActors extends Context.Service<
  CatalogActors,
  {
    readonly offerings: OfferingActors
    readonly collections: ListingActors<Collection>
    readonly gpus: ListingActors<Gpu>
    readonly deploymentTemplates: ListingActors<DeploymentTemplate>
  }
>()("inferlog/src/features/catalog/CatalogActors") {
  static readonly layer = Layer.effect(
    CatalogActors,
    Effect.all({
      offerings: Actors.make(Offering.aggregate),
      collections: Actors.make(Listing.collections),
      gpus: Actors.make(Listing.gpus),
      deploymentTemplates: Actors.make(Listing.deploymentTemplates)
    })
  )
}
