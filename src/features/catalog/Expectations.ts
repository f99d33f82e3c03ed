/** Expected run times and waits of a model, learned from runs that ended. */
import { Context, Layer } from "effect"

export interface Expectation {
  /** Seconds from start to end at the provider: median and 90th percentile of recent runs. `null` without enough runs. */
  readonly p50Seconds: number | null
  readonly p90Seconds: number | null
  /** Recent runs behind these figures; 0 without enough. */
  readonly samples: number
  /** The likely wait in seconds of a request submitted now, 0 with room; `null` if no run can begin. */
  readonly waitSeconds: number | null
}

export class Expectations extends Context.Service<
  Expectations,
  {
    /** At most some seconds old; `null` without enough runs and without a queue. For a wrapper: its base model's. */
    of(endpoint: string): Expectation | null
  }
>()("inferlog/src/features/catalog/Expectations") {
  /** For tests: nothing is ever learned. */
  static readonly layerEmpty = Layer.succeed(Expectations, { of: () => null })
}
