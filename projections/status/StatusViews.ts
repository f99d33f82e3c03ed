/** What the list of projections shows. */
import { Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

/**
 * `live`: lists include what clients have seen. `catching up`: further behind than a list waits. `stopped`: cannot apply an
 * event (`reason`). `not running`: no server runs. `not built`: the next server builds it from the log.
 */
export const State = Schema.Literals(["live", "catching up", "stopped", "not running", "not built"])
export type State = typeof State.Type

const Distance = {
  position: GlobalPosition.GlobalPosition,
  /** Events of the log that are not applied yet. */
  behind: Schema.Int
}

export const ProjectionStatus = Schema.Struct({
  name: Schema.String,
  version: Schema.Int,
  ...Distance,
  /** Age of the oldest event that is not applied yet, ms. 0 when all are applied. */
  lagMs: Schema.Int,
  state: State,
  /** Why the projection has stopped. */
  reason: Schema.NullOr(Schema.String),
  /** Progress of a rebuild under way. */
  rebuild: Schema.NullOr(Schema.Struct(Distance))
})
export type ProjectionStatus = typeof ProjectionStatus.Type

export const ProjectionStatuses = Schema.Struct({
  head: GlobalPosition.GlobalPosition,
  /** The file of the read models, and its size including the journal. */
  file: Schema.String,
  bytes: Schema.Int,
  projections: Schema.Array(ProjectionStatus)
})
export type ProjectionStatuses = typeof ProjectionStatuses.Type
