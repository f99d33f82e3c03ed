/** The units that an input requests. Failures are logged for the operator: their texts come from an expression. */
import { Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import type { CatalogEntry, Quantities } from "./Catalog.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"

export class UnitsUnknown extends Schema.TaggedError<UnitsUnknown>()("UnitsUnknown", {}) {
  override get message(): string {
    return "The billable units of this input cannot be computed."
  }
}

/** Rate-limited, because clients can cause it repeatedly. */
export const make = (): ((
  entry: CatalogEntry,
  input: Json
) => Effect.Effect<Quantities, UnitsUnknown | EvaluatorBusy>) => {
  const rateLimited = RateLimitedLog.make()
  return (entry, input) =>
    Effect.catchEager(
      entry.quantities(input),
      (error): Effect.Effect<never, UnitsUnknown | EvaluatorBusy> => {
        if (error._tag === "EvaluatorBusy") return Effect.fail(error)
        const { reason } = error
        const line = Effect.logWarning(`An input is refused: ${reason}`)
        const logged = rateLimited(Effect.annotateLogs(line, { model: entry.model.endpoint }))
        return Effect.andThen(logged, Effect.fail(new UnitsUnknown()))
      }
    )
}
