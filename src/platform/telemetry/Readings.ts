/** Metrics that are read on demand: before a scrape and before an export. */
import { Context, type Effect } from "effect"

/** Updates every metric that is not counted as it happens. Never fails. */
export class Readings extends Context.Service<Readings, Effect.Effect<void>>()(
  "inferlog/src/platform/telemetry/Readings"
) {}
