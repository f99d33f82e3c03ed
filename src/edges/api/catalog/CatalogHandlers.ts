/** The declared public routes: the catalog, prices, GPUs and deployment templates. */
import { Effect, Layer } from "effect"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as Collections from "./Collections.ts"
import * as Compute from "./Compute.ts"
import * as EstimateAdmission from "./EstimateAdmission.ts"
import * as Listings from "./Listings.ts"
import * as Prices from "./Prices.ts"
import { CatalogApi } from "./CatalogApi.ts"
import { ComputeApi } from "./ComputeApi.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { PricingApi } from "./PricingApi.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"

const catalog = DeclaredRoutes.layerOfHandlers({
  group: CatalogApi,
  admit: PublicReads.admit,
  services: Effect.all({ listings: Listings.make, collections: Collections.make }),
  handlers: ({ collections, listings }) => ({
    listModels: listings.models,
    getModel: listings.model,
    getModelSchema: listings.schema,
    listWrappers: listings.wrappers,
    getWrapper: listings.wrapper,
    getWrapperSchema: listings.wrapperSchema,
    listCollections: collections.list,
    getCollection: collections.get,
    searchCatalog: collections.search
  })
})

const pricing = DeclaredRoutes.layerOfHandlers({
  group: PricingApi,
  admit: PublicReads.admit,
  services: Effect.all({ prices: Prices.make, take: EstimateAdmission.make, addressOf: ClientAddress.make }),
  handlers: ({ addressOf, prices: { estimate, list }, take }) => ({
    listPrices: list,
    estimatePrice: ({ request }) =>
      Effect.flatMap(take({ headers: request.headers, address: addressOf(request) }), (admitted) =>
        estimate({
          ...admitted,
          headers: request.headers,
          readBody: BodyReader.read(request, admitted.limit)
        })
      )
  })
})

const compute = DeclaredRoutes.layerOfHandlers({
  group: ComputeApi,
  admit: PublicReads.admit,
  services: Compute.make,
  handlers: ({ gpus, template, templates }) => ({
    listGpus: gpus,
    listDeploymentTemplates: templates,
    getDeploymentTemplate: template
  })
})

const preflights = Layer.mergeAll(
  PublicReads.preflights(CatalogApi),
  PublicReads.preflights(PricingApi),
  PublicReads.preflights(ComputeApi)
)

export const layer = Layer.mergeAll(catalog, pricing, compute, preflights)
