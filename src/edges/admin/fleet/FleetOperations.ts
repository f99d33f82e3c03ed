/** Nodes, connected workers, providers and demand: part of `Administration`. */
import { Schema } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NoServerHere, ProviderNotFound } from "#src/features/fleet/FleetErrors.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"
import { ConnectedWorker, ListedDemand, ListedNode, ListedProvider } from "./FleetViews.ts"

const ProviderName = Schema.String

export const fleetOperations = [
  Operation.make("listNodes", {
    route: "GET /nodes",
    role: "viewer",
    summary: "List nodes",
    description:
      "All nodes that the answering one has heard of within ten minutes: state, release, runs, and how far read models are behind. A few seconds old.",
    success: Schema.Struct({ data: Schema.Array(ListedNode) })
  }),
  Operation.make("listConnectedWorkers", {
    route: "GET /workers",
    role: "viewer",
    summary: "List connected workers",
    description:
      "The workers that call any node, and those that did within ten minutes. `omitted` workers did not fit into the nodes' reports.",
    success: Schema.Struct({ data: Schema.Array(ConnectedWorker), omitted: Schema.Int })
  }),
  Operation.make("listProviders", {
    route: "GET /providers",
    role: "viewer",
    summary: "List providers",
    description:
      "The providers of the catalog by name, with circuit, pause, last error and next try on each node that had runs there.",
    payload: Wire.paging(ProviderName),
    success: Wire.page(ListedProvider, ProviderName)
  }),
  Operation.make("resetProvider", {
    route: "POST /providers/:name/reset",
    role: "operator",
    summary: "Reset a provider",
    description: "Closes its circuit and ends its pause, at once and on all nodes.",
    payload: { name: ProviderName },
    errors: [ProviderNotFound, NoServerHere]
  }),
  Operation.make("showDemand", {
    route: "GET /demand",
    role: "viewer",
    summary: "Show the demand for a model",
    description:
      "For autoscalers: `demand` is what waits and runs over all nodes; 0 for a model that never had a request. Of a wrapper it is that of the model that runs.",
    payload: { model: ModelEndpoint },
    success: ListedDemand,
    errors: [NoServerHere]
  })
] as const
