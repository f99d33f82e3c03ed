/** The input of a submit, parsed here or in another thread. */
import { Effect, Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { CatalogEntry, InputIssue } from "#src/features/catalog/models/Catalog.ts"
import type { EvaluatorBusy } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import * as Expression from "#src/features/catalog/models/Expression.ts"
import type { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { Submission } from "./Requests.ts"

/** The whole input. */
const valueOf = ({ checked, input }: Submission): Json =>
  checked === undefined ? input : JsonText.parse(checked.text)

/** Why the model refuses the input. Validates the input again if the model has changed since. */
export const issues = (submission: Submission, entry: CatalogEntry): ReadonlyArray<InputIssue> => {
  const { checked } = submission
  return checked !== undefined && checked.modelVersion === entry.model.version
    ? checked.issues
    : entry.validateInput(valueOf(submission))
}

/**
 * Integers past 2^53 that the model's wrapper or a provider's input expression would return with other digits, because both compute
 * with doubles. Settled for most inputs.
 */
export const changedIntegers = (
  submission: Submission,
  entry: CatalogEntry
): Effect.Effect<ReadonlyArray<InputIssue>, EvaluatorBusy> => {
  const { model, runs } = entry
  const expressions = model.providers.flatMap(({ input }) => input ?? [])
  if (expressions.length === 0 && model.endpoint === runs) return none
  const value = valueOf(submission)
  const integers = JsonText.longIntegers(value)
  if (integers.length === 0) return none
  const input = entry.runInput(value)
  const mapped = Effect.forEach(expressions, (expression) =>
    // An expression that fails says so when the request runs.
    Effect.catchTag(
      Result.getOrThrow(Expression.compile(expression)).evaluate(input),
      "ExpressionFailed",
      () => Effect.succeed(null)
    )
  )
  return Effect.map(mapped, (made) => {
    const results = [...(model.endpoint === runs ? [] : [input]), ...made.map((one) => one ?? null)]
    return JsonText.changedIn(integers, results).map(({ path }) => ({
      path,
      code: "integer",
      message: "must not exceed 9007199254740991, because the model's mapping computes with it"
    }))
  })
}

const none = Effect.succeed<ReadonlyArray<InputIssue>>([])

const isBuiltin = ({ model }: CatalogEntry): boolean =>
  model.providers.every(({ adapter }) => adapter === "builtin")

/** Expressions may read the whole input; built-in models read numbers only. */
const looksAtAll = (entry: CatalogEntry): boolean => {
  const { endpoint, metering } = entry.model
  if (entry.runs !== endpoint) return true
  return !isBuiltin(entry) && (metering?.quantity !== undefined || metering?.maxQuantity !== undefined)
}

/** The part of the input that the billable units depend on. */
export const forUnits = (submission: Submission, entry: CatalogEntry): Json =>
  looksAtAll(entry) ? valueOf(submission) : submission.input

const textOf = ({ checked, input }: Submission): string =>
  checked === undefined ? JsonText.write(input) : checked.text

/** Settled for a small input. */
export const seal = (payloads: Payloads["Service"], submission: Submission, id: RequestId) =>
  payloads.seal({
    owner: submission.caller.accountId,
    stream: StreamName.make(InferenceRequest.aggregate.category, id),
    name: "input",
    text: textOf(submission)
  })
