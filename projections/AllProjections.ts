/** What the runner builds. A new projection is added here. */
import * as DueWorkProjection from "./due-work/DueWorkProjection.ts"
import * as HistoryProjection from "./history/HistoryProjection.ts"
import * as KeysProjection from "./keys/KeysProjection.ts"
import type { Projection } from "./Projection.ts"

export const allProjections: ReadonlyArray<Projection> = [
  DueWorkProjection.projection,
  HistoryProjection.projection,
  KeysProjection.projection
]
