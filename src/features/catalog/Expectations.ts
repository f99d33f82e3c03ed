/** How long the runs of a model take, and how long a request waits for one: learned from those that ended. */
import { Context, Layer } from "effect"

export interface Expectation {
  /** Of the provider's work, from its start to its end, in seconds: half of the recent runs, and nine of ten, took no longer. `null` while there are too few. */
  readonly p50Seconds: number | null
  readonly p90Seconds: number | null
  /** Recent runs that these are learned from; 0 while there are too few. */
  readonly samples: number
  /**
   * How long a request submitted now is likely to wait for its start, in seconds: 0 when there is room. `null` when no run can
   * begin: the provider cannot be reached, or no worker asks for jobs of the model.
   */
  readonly waitSeconds: number | null
}

export class Expectations extends Context.Service<
  Expectations,
  {
    /** At most some seconds old; `null` while there are too few runs to learn from and nothing waits. Of a wrapper: its base model's. */
    of(endpoint: string): Expectation | null
  }
>()("inferlog/src/features/catalog/Expectations") {
  /** Nothing was learned yet, and nothing will be. */
  static readonly layerEmpty = Layer.succeed(Expectations, { of: () => null })
}
