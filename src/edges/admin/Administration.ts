/** All that an operator sees and changes, on a running server (`AdminClient`) or a log (`LocalAdministration`). */
import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { CopyRefused } from "#projections/rebuild/RebuildError.ts"
import { ProjectionStatuses } from "#projections/status/ProjectionStatus.ts"
import { accountOperations } from "./accounts/AccountOperations.ts"
import { catalogOperations } from "./catalog/CatalogOperations.ts"
import { keyOperations, workerKeyOperations } from "./keys/KeyOperations.ts"
import { AdministrationFailed, type Operations } from "./Operations.ts"
import { requestOperations } from "./requests/RequestOperations.ts"

/** All operations. Service, client and server are derived from these declarations. */
export const operations = keyOperations
  .merge(accountOperations, requestOperations, workerKeyOperations, catalogOperations)
  .add(
    /** How far each projection is. */
    Rpc.make("listProjections", { success: ProjectionStatuses, error: AdministrationFailed }),
    /** Replaces the read models in use by the finished copy in the data directory (`Projections.adopt`). */
    Rpc.make("adoptProjections", { error: Schema.Union([CopyRefused, AdministrationFailed]) })
  )

export class Administration extends Context.Service<Administration, Operations<typeof operations>>()(
  "inferlog/src/edges/admin/Administration"
) {}
