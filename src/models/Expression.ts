/**
 * JSONata expressions of manifests (https://docs.jsonata.org). They are the operator's word, what they are applied to is a
 * client's or a provider's: time, depth and length of one evaluation are bounded. A regular expression is not, once it runs.
 */
import jsonata from "jsonata"
import { Effect, Predicate, Result, Schema, Semaphore } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"

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
  /** `$` is `value`, and each binding a variable of its name. `undefined` where it ends in nothing. */
  evaluate(
    value: Json,
    bindings?: Readonly<Record<string, Json>>
  ): Effect.Effect<Json | undefined, ExpressionFailed>
}

/** Of one evaluation: ms, nested calls, members of a sequence. Nothing else of the process goes on meanwhile. */
const limits = { timeout: 250, stack: 500, sequence: 100_000 }

/** Evaluations yield to each other, and time is the wall's: one at a time, none is charged for another's. */
const turn = Semaphore.makeUnsafe(1)

/** Codes of the limits, and of `$error` and `$assert`, whose words are the manifest's own. */
const speaking: ReadonlySet<string> = new Set(["D1011", "D1012", "D2015", "D3137", "D3141"])

export const compile = (text: string): Result.Result<Expression, InvalidExpression> =>
  Result.map(
    Result.try({
      try: () => jsonata(text, limits),
      catch: (cause) => new InvalidExpression({ reason: syntaxError(cause) })
    }),
    (compiled): Expression => ({
      evaluate: (value, bindings) =>
        Effect.flatMap(
          turn.withPermit(
            // What is interrupted would go on, and take the time of the next one.
            Effect.uninterruptible(
              Effect.tryPromise({
                try: (): Promise<unknown> => compiled.evaluate(value, bindings),
                catch: (cause) => new ExpressionFailed({ reason: failure(cause) })
              })
            )
          ),
          (result) => {
            const json = result === undefined ? undefined : toJson(result)
            return json === notJson
              ? Effect.fail(new ExpressionFailed({ reason: "it ends in what is no JSON" }))
              : Effect.succeed(json)
          }
        )
    })
  )

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

const wordsOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : codeOf(cause)

const syntaxError = (cause: unknown): string => {
  const at = Predicate.hasProperty(cause, "position") ? ` at character ${String(cause.position)}` : ""
  return `${wordsOf(cause)}${at}`
}

/** Other messages of JSONata quote the value that they are about. */
const failure = (cause: unknown): string => {
  const code = codeOf(cause)
  return speaking.has(code) ? wordsOf(cause) : `it cannot be evaluated (${code})`
}

const notJson = Symbol("no JSON")

/** Levels: bodies that come from outside have 128 of them at most. */
const deepest = 256

/** Functions of JSONata are objects, and lead to everything that they can see. */
const isFunction = (value: object): boolean => "_jsonata_lambda" in value || "_jsonata_function" in value

/** What JSONata makes may hold functions, numbers that JSON has none of, and objects and arrays that are not plain ones. */
const toJson = (value: unknown, depth = 0): Json | typeof notJson => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : notJson
  if (typeof value !== "object" || depth > deepest || isFunction(value)) return notJson
  if (Array.isArray(value)) {
    const elements = value.map((element) => toJson(element, depth + 1))
    return elements.every(isJson) ? elements : notJson
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return notJson
  const members = Object.entries(value).map(([name, member]) => [name, toJson(member, depth + 1)] as const)
  return members.every(hasJson) ? Object.fromEntries(members) : notJson
}

const isJson = (value: Json | typeof notJson): value is Json => value !== notJson

const hasJson = (member: readonly [string, Json | typeof notJson]): member is readonly [string, Json] =>
  isJson(member[1])
