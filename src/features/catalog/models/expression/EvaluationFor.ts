/** Whom an expression is evaluated for: owners take turns, and estimates have a thread of their own. */
import { Context, Schema } from "effect"

export interface EvaluationFor {
  /** Runs are limited by themselves; other evaluations are as many as clients send. */
  readonly purpose: "run" | "submit" | "estimate"
  /** An account or an address. */
  readonly owner: string
}

export const EvaluationFor = Context.Reference<EvaluationFor>(
  "inferlog/src/features/catalog/models/expression/EvaluationFor",
  {
    defaultValue: () => ({ purpose: "run", owner: "" })
  }
)

/** Too many calls wait for an evaluation, in total or for this owner. */
export class EvaluatorBusy extends Schema.TaggedError<EvaluatorBusy>()("EvaluatorBusy", {}) {
  override get message(): string {
    return "Too many inputs wait for a price estimate."
  }
}
