/** The read models: part of `Administration`. */
import { CopyRefused } from "#projections/rebuild/RebuildError.ts"
import { ProjectionStatuses } from "#projections/status/StatusViews.ts"
import * as Operation from "../Operation.ts"

export const projectionOperations = [
  Operation.make("listProjections", {
    route: "GET /projections",
    role: "viewer",
    summary: "How far each projection is",
    description: "Of the node that answers.",
    success: ProjectionStatuses
  }),
  Operation.make("adoptProjections", {
    route: "POST /projections/adopt",
    role: "operator",
    summary: "Adopt rebuilt read models",
    description:
      "Replaces the read models in use by the finished copy in the data directory of the node that answers.",
    errors: [CopyRefused]
  })
] as const
