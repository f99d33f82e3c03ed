/** Routes that read the whole log: its events, and the passes over it. They answer with lines of JSON. */
import { type Effect, Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { BalanceProof } from "#src/features/billing/proof/BalanceProof.ts"
import { proveBalance } from "../accounts/ProofOfBalance.ts"
import { rebuildProjections, verifyProjections } from "../projections/RebuildRoutes.ts"
import { auditBooks } from "./AuditRoute.ts"
import { downloadJournal } from "./JournalRoute.ts"
import { Proofs } from "./Proofs.ts"
import { readEvents } from "./ReadEvents.ts"
import { countLog, verifyLog } from "./VerifyRoutes.ts"
import { Readmission } from "../live/Events.ts"
import { live } from "../live/LiveRoute.ts"
import { followServerLog } from "../server-log/FollowLog.ts"

const routes = [
  readEvents,
  verifyLog,
  countLog,
  auditBooks,
  downloadJournal,
  proveBalance,
  verifyProjections,
  rebuildProjections
] as const

const liveRoutes = [live, followServerLog] as const

/** What goes on while its reader stays. */
export const liveGroup = HttpApiGroup.make("admin-live")
  .add(live.endpoint, followServerLog.endpoint)
  .annotate(OpenApi.Title, "Live")

export const group = HttpApiGroup.make("admin-passes")
  .add(
    readEvents.endpoint,
    verifyLog.endpoint,
    countLog.endpoint,
    auditBooks.endpoint,
    downloadJournal.endpoint,
    proveBalance.endpoint,
    verifyProjections.endpoint,
    rebuildProjections.endpoint
  )
  .annotate(OpenApi.Title, "Passes over the log")

export const layer = <E, R>(admit: Effect.Effect<DeclaredRoutes.Admit<Operator>, E, R>) =>
  Layer.merge(
    DeclaredRoutes.layer(admit, routes).pipe(
      Layer.provide([Proofs.layer, OperatorActions.layer, BalanceProof.layer])
    ),
    DeclaredRoutes.layer(admit, liveRoutes).pipe(Layer.provide(Layer.effect(Readmission, admit)))
  )
