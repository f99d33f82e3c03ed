/** The input of a submit, parsed here or in another thread. */
import type { Json } from "#domain/CanonicalJson.ts"
import type { CatalogEntry, InputIssue } from "#src/features/catalog/models/Catalog.ts"
import type { Payloads } from "#streams/Payload.ts"
import type { Submission } from "./Requests.ts"

/** The whole input. */
const valueOf = ({ checked, input }: Submission): Json =>
  checked === undefined ? input : (JSON.parse(checked.text) as Json)

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
export const forUnits = (submission: Submission, entry: CatalogEntry): Json =>
  looksAtAll(entry) ? valueOf(submission) : submission.input

export const seal = (
  payloads: Payloads["Service"],
  { checked, input }: Submission,
  options: Omit<Parameters<Payloads["Service"]["sealText"]>[0], "text">
) =>
  checked === undefined
    ? payloads.seal({ ...options, json: input })
    : payloads.sealText({ ...options, text: checked.text })
