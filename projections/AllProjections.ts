/** The projections that the runner builds. Add new ones here. */
import * as CatalogProjection from "./catalog/CatalogProjection.ts"
import * as DeliveriesProjection from "./deliveries/DeliveriesProjection.ts"
import * as DueWorkProjection from "./due-work/DueWorkProjection.ts"
import * as DurationsProjection from "./durations/DurationsProjection.ts"
import * as FilesProjection from "./files/FilesProjection.ts"
import * as HistoryProjection from "./history/HistoryProjection.ts"
import * as KeysProjection from "./keys/KeysProjection.ts"
import * as LedgerProjection from "./ledger/LedgerProjection.ts"
import * as OperatorsProjection from "./operators/OperatorsProjection.ts"
import type { Projection } from "./Projection.ts"
import * as RetentionProjection from "./retention/RetentionProjection.ts"

export const allProjections: ReadonlyArray<Projection> = [
  CatalogProjection.projection,
  DeliveriesProjection.projection,
  DueWorkProjection.projection,
  DurationsProjection.projection,
  FilesProjection.projection,
  HistoryProjection.projection,
  KeysProjection.projection,
  LedgerProjection.projection,
  OperatorsProjection.projection,
  RetentionProjection.projection
]
