/** What operators see of queues. Rates are per second, waits in ms. */
import { Schema } from "effect"
import * as HeldUp from "#src/features/fleet/queues/HeldUp.ts"
import type { HoldUp } from "#src/features/fleet/queues/HoldUps.ts"
import type { Queue } from "#src/features/fleet/queues/Queues.ts"
import type { Minute } from "#src/features/fleet/pulse/Minutes.ts"
import type { Counts } from "#src/features/requests/metrics/RequestTally.ts"
import * as WaitBuckets from "#src/features/requests/metrics/WaitBuckets.ts"
import { Time, TimeOrNull } from "../Wire.ts"

const Count = Schema.Int
const CountOrNull = Schema.NullOr(Count)

const Reason = Schema.Struct({
  cause: HeldUp.Cause,
  /** That it is about. */
  provider: Schema.NullOr(Schema.String),
  since: TimeOrNull,
  /** When it ends or the next run is tried by itself; `null` where that depends on someone. */
  until: TimeOrNull,
  /** A limit, codes of `/health`, or the last error. */
  detail: Schema.NullOr(Schema.String)
})

export const ListedQueue = Schema.Struct({
  model: Schema.String,
  /** It has left the catalog; its accepted requests still run. */
  isWithdrawn: Schema.Boolean,
  queued: Count,
  running: Count,
  /** `null` for a model that is not known. */
  concurrency: CountOrNull,
  /** Of the request that waits longest. */
  firstDueAt: TimeOrNull,
  /** The likely wait of a request submitted now; `null` if no run can begin. */
  waitSeconds: Schema.NullOr(Schema.Finite),
  /** Median of recent runs; `null` without enough runs. */
  runSeconds: Schema.NullOr(Schema.Finite),
  providers: Schema.Array(Schema.String),
  /** Why its requests wait, the first one first to see to. */
  reasons: Schema.Array(Reason)
})

export const listedQueue = (queue: Queue): typeof ListedQueue.Type => queue

/** In the last minute. */
const Now = Schema.Struct({
  accepted: Count,
  dispatched: Count,
  completed: Count,
  failed: Count,
  cancelled: Count,
  requeued: Count,
  /** From submit to the first run, ms: median and 90th percentile; `null` if no run began. */
  p50WaitMs: Schema.NullOr(Schema.Finite),
  p90WaitMs: Schema.NullOr(Schema.Finite)
})

const ListedMinute = Schema.Struct({
  at: Time,
  ...Now.fields,
  /** Over all nodes at its end; `null` where nothing was read. */
  queued: CountOrNull,
  running: CountOrNull
})

const Pulse = Schema.Struct({ lastMinute: Now, minutes: Schema.Array(ListedMinute) })

export const Overview = Schema.Struct({
  /** Over all nodes. */
  queued: Count,
  running: Count,
  nodes: Schema.Struct({ ready: Count, unwell: Count, starting: Count, gone: Count }),
  workers: Schema.Struct({ waiting: Count, working: Count }),
  providers: Schema.Struct({ all: Count, held: Count }),
  holdUps: Schema.Array(
    Schema.Struct({
      ...Reason.fields,
      /** Requests that wait because of it. */
      queued: Count,
      /** At most 20 of `modelCount`, the longest queue first. */
      models: Schema.Array(Schema.String),
      modelCount: Count,
      firstDueAt: TimeOrNull
    })
  ),
  allNodes: Pulse,
  /** Of the node that answers. */
  thisNode: Schema.Struct({ nodeId: Schema.NullOr(Schema.String), ...Pulse.fields })
})

const now = ({ waits, ...counts }: Counts): typeof Now.Type => ({
  ...counts,
  p50WaitMs: WaitBuckets.quantile(waits, 0.5),
  p90WaitMs: WaitBuckets.quantile(waits, 0.9)
})

const minute = ({ at, queued, running, ...counts }: Minute): typeof ListedMinute.Type => ({
  at,
  queued,
  running,
  ...now(counts)
})

export const pulse = (recent: Counts, minutes: ReadonlyArray<Minute>): typeof Pulse.Type => ({
  lastMinute: now(recent),
  minutes: minutes.map(minute)
})

export const holdUp = (found: HoldUp): (typeof Overview.Type)["holdUps"][number] => found
