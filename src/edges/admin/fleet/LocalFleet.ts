/** `fleetOperations` on the running server. */
import { Effect } from "effect"
import { Fleet } from "#src/features/fleet/Fleet.ts"
import type { LocalOperations } from "../Operations.ts"
import type { fleetOperations } from "./FleetOperations.ts"
import * as Pages from "../Pages.ts"
import { mostListed } from "../Wire.ts"
import * as FleetViews from "./FleetViews.ts"

export const make = Effect.gen(function* () {
  const fleet = yield* Fleet

  const operations: LocalOperations<typeof fleetOperations> = {
    listNodes: () => Effect.map(fleet.nodes, (nodes) => ({ data: nodes.map(FleetViews.listedNode) })),
    listConnectedWorkers: () =>
      Effect.map(fleet.workers, ({ omitted, workers }) => ({
        data: workers.map(FleetViews.connectedWorker),
        omitted
      })),
    listProviders: ({ after, limit }) =>
      Effect.map(fleet.providers, (providers) => {
        const rest = providers.filter(({ name }) => after === null || name > after)
        const most = limit ?? mostListed
        const listed = rest.slice(0, most + 1).map(FleetViews.listedProvider)
        return Pages.of(listed, most, ({ name }) => name)
      }),
    resetProvider: ({ name }) => fleet.resetProvider(name),
    showDemand: ({ model }) =>
      Effect.map(fleet.demandOf(model), (found) => FleetViews.listedDemand(found.model, found.demand))
  }
  return operations
})
