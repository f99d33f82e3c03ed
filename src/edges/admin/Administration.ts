/** All that an operator sees and changes, on a running server (`AdminClient`) or a log (`LocalAdministration`). */
import { Context } from "effect"
import { accountOperations } from "./accounts/AccountOperations.ts"
import { catalogOperations } from "./catalog/CatalogOperations.ts"
import { fleetOperations } from "./fleet/FleetOperations.ts"
import { queueOperations } from "./fleet/QueueOperations.ts"
import { keyOperations, workerKeyOperations } from "./keys/KeyOperations.ts"
import { logOperations } from "./log/LogOperations.ts"
import type { Operations } from "./Operations.ts"
import { operatorOperations } from "./operators/OperatorOperations.ts"
import { projectionOperations } from "./projections/ProjectionOperations.ts"
import { requestOperations } from "./requests/RequestOperations.ts"
import { serverLogOperations } from "./server-log/ServerLogOperations.ts"

/** All operations. Service, routes, client and their OpenAPI document are derived from these declarations. */
export const operations = [
  ...accountOperations,
  ...keyOperations,
  ...workerKeyOperations,
  ...requestOperations,
  ...catalogOperations,
  ...projectionOperations,
  ...operatorOperations,
  ...fleetOperations,
  ...queueOperations,
  ...serverLogOperations,
  ...logOperations
] as const

export class Administration extends Context.Service<Administration, Operations<typeof operations>>()(
  "inferlog/src/edges/admin/Administration"
) {}
