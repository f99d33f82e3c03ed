/** The input of a submit, parsed here or in another thread. */
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { CatalogEntry, InputIssue } from "#src/features/catalog/models/Catalog.ts"
import type { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { Submission } from "./Requests.ts"

/** The whole input. */
const valueOf = ({ checked, input }: Submission): CanonicalJson.Json =>
  checked === undefined ? input : (JSON.parse(checked.text) as CanonicalJson.Json)

/** Why the model refuses the input. Validates the input again if the model has changed since. */
export const issues = (submission: Submission, entry: CatalogEntry): ReadonlyArray<InputIssue> => {
  const { checked } = submission
  return checked !== undefined && checked.modelVersion === entry.model.version
    ? checked.issues
    : entry.validateInput(valueOf(submission))
}

const isBuiltin = ({ model }: CatalogEntry): boolean =>
  model.providers.every(({ adapter }) => adapter === "builtin")

/** Expressions may read the whole input; built-in models read numbers only. */
const looksAtAll = (entry: CatalogEntry): boolean => {
  const { endpoint, metering } = entry.model
  if (entry.runs !== endpoint) return true
  return !isBuiltin(entry) && (metering?.quantity !== undefined || metering?.maxQuantity !== undefined)
}

/** The part of the input that the billable units depend on. */
export const forUnits = (submission: Submission, entry: CatalogEntry): CanonicalJson.Json =>
  looksAtAll(entry) ? valueOf(submission) : submission.input

const textOf = ({ checked, input }: Submission): string =>
  checked === undefined ? CanonicalJson.stringify(input) : checked.text

/** A small input, sealed; `null` for a large one. */
export const sealNow = (payloads: Payloads["Service"], submission: Submission) =>
  payloads.sealInline({ name: "input", text: textOf(submission) })

export const seal = (payloads: Payloads["Service"], submission: Submission, id: RequestId) =>
  payloads.sealText({
    owner: submission.caller.accountId,
    stream: StreamName.make(InferenceRequest.aggregate.category, id),
    name: "input",
    text: textOf(submission)
  })
