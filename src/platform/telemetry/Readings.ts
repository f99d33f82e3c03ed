/** Metrics that are read on demand: before each scrape and each export. */
import { Context, type Effect } from "effect"

/** Updates every metric that is not counted when it happens. Never fails. */
export class Readings extends Context.Service<Readings, Effect.Effect<void>>()(
  "inferlog/src/platform/telemetry/Readings"
) {}
