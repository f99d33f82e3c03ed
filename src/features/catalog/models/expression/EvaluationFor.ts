/** Whom an expression is evaluated for: everybody has a turn of their own, and prices that are asked for a thread of their own. */
import { Context, Schema } from "effect"

export interface EvaluationFor {
  /** Runs are as many as are under way; the others are calls, as many as clients send. */
  readonly purpose: "run" | "submit" | "estimate"
  /** An account, or an address. */
  readonly owner: string
}

export const EvaluationFor = Context.Reference<EvaluationFor>(
  "inferlog/src/features/catalog/models/expression/EvaluationFor",
  {
    defaultValue: () => ({ purpose: "run", owner: "" })
  }
)

/** As many calls wait for an evaluation as may, of all or of this owner. */
export class EvaluatorBusy extends Schema.TaggedError<EvaluatorBusy>()("EvaluatorBusy", {}) {
  override get message(): string {
    return "Too many inputs wait for their price to be told."
  }
}
