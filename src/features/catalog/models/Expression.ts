/**
 * JSONata expressions of manifests (https://docs.jsonata.org). They are the operator's word, what they are applied to is a
 * client's or a provider's: they are evaluated in a thread of their own, within limits (`expression/Limits`).
 */
import jsonata from "jsonata"
import { Effect, Predicate, Result, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"
import * as Evaluator from "./expression/Evaluator.ts"

/** It cannot be parsed. */
export class InvalidExpression extends Schema.TaggedError<InvalidExpression>()("InvalidExpression", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Evaluated, it fails or ends in what is no JSON. `reason` is the expression's own; values are not in it. */
export class ExpressionFailed extends Schema.TaggedError<ExpressionFailed>()("ExpressionFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Expression {
  /**
   * `$` is `value`, and each binding a variable of its name. `undefined` where it ends in nothing. Takes its turn as
   * `EvaluationFor` says; without a word of whom it is for, as one of a run, it is never refused.
   */
  evaluate(
    value: Json,
    bindings?: Readonly<Record<string, Json>>
  ): Effect.Effect<Json | undefined, ExpressionFailed | EvaluatorBusy>
}

export const compile = (text: string): Result.Result<Expression, InvalidExpression> =>
  Result.map(
    Result.try({
      try: () => jsonata(text),
      catch: (cause) => new InvalidExpression({ reason: syntaxError(cause) })
    }),
    (): Expression => ({
      evaluate: (value, bindings = {}) =>
        Effect.matchEffect(Evaluator.evaluate({ text, value, bindings }), {
          onSuccess: (answer) =>
            answer._tag === "Done"
              ? // Made JSON in the thread.
                Effect.succeed(answer.value as Json | undefined)
              : Effect.fail(new ExpressionFailed({ reason: answer.reason })),
          onFailure: (error) =>
            Effect.fail(
              error._tag === "EvaluatorBusy"
                ? error
                : new ExpressionFailed({ reason: lossWords[error.reason] })
            )
        })
    })
  )

const lossWords = {
  deadline: "it takes too long",
  out_of_memory: "it takes too much memory",
  crashed: "its evaluation broke off"
} as const

const syntaxError = (cause: unknown): string => {
  const words = Predicate.hasProperty(cause, "message") ? String(cause.message) : "it cannot be parsed"
  return Predicate.hasProperty(cause, "position") ? `${words} at character ${String(cause.position)}` : words
}
