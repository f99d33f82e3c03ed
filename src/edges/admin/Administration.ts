/** What an operator sees and changes: one service, through the admin socket of a running server or on the log itself. */
import { Context, type Effect } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { CopyRefused } from "#projections/rebuild/RebuildError.ts"
import { ProjectionStatuses } from "#projections/status/ProjectionStatus.ts"
import { accountOperations } from "./accounts/AccountOperations.ts"
import { erasingOperations } from "./accounts/ErasingOperations.ts"
import { AdministrationFailed } from "./AdministrationFailed.ts"
import { catalogOperations } from "./catalog/CatalogOperations.ts"
import { keyOperations } from "./keys/KeyOperations.ts"
import { requestOperations } from "./requests/RequestOperations.ts"
import { workerKeyOperations } from "./WorkerKeyOperations.ts"
import { Schema } from "effect"

const projectionOperations = RpcGroup.make(
  /** The progress of each projection. */
  Rpc.make("listProjections", { success: ProjectionStatuses, error: AdministrationFailed }),
  /** Replaces the read models in use by the finished copy in the data directory (`Projections.adopt`). */
  Rpc.make("adoptProjections", { error: Schema.Union([CopyRefused, AdministrationFailed]) })
)

/** All operations. Each is declared once: client, server and service follow from this. */
export const operations = keyOperations.merge(
  accountOperations,
  erasingOperations,
  requestOperations,
  catalogOperations,
  workerKeyOperations,
  projectionOperations
)

type Operation = RpcGroup.Rpcs<typeof operations>

/** An operation as a function from its payload to its result. */
type Carried<Current extends Operation> = (
  payload: Rpc.Payload<Current>
) => Effect.Effect<Rpc.Success<Current>, Rpc.Error<Current>>

export class Administration extends Context.Service<
  Administration,
  { readonly [Current in Operation as Current["_tag"]]: Carried<Current> }
>()("inferlog/src/edges/admin/Administration") {}
