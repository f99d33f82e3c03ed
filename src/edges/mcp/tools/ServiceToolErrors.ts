/** Messages for a language model about errors: what is wrong, what to do next, whether to retry. They quote no input. */
import type { SqlError } from "effect/sql/SqlError"
import type { Grant } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { TooManyExpanded } from "#src/features/requests/HistoryDetails.ts"
import type {
  InvalidInput,
  ModelNotFound,
  RequestForbidden,
  RequestNotFound,
  StorageError,
  SubmitRefused
} from "#src/features/requests/Requests.ts"
import { ToolError } from "../ToolError.ts"

type ToolServiceError =
  | Exclude<SubmitRefused, ModelNotFound | InvalidInput>
  | RequestNotFound
  | RequestForbidden
  | TooManyExpanded
  | ReadModelBehind
  | StorageError
  | SqlError

/** The most issues that are listed. */
const mostIssues = 20

/** Characters per line: property names come from the caller and have any length. */
const longestLine = 300

/** Converts a text to one line. */
const oneLine = (text: string): string => {
  const line = text.replace(/\p{Cc}+/gu, " ")
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
}

type Issue = InvalidInput["issues"][number]

const pathOf = (path: Issue["path"]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    ""
  )

/** Lines `path: message`, at most 20, and the number of further ones. @param root the name of the empty path. */
export const issueLines = (issues: ReadonlyArray<Issue>, root: string): string => {
  const lines = issues
    .slice(0, mostIssues)
    .map(({ message, path }) => oneLine(`- ${pathOf(path) || root}: ${message}`))
  const more = issues.length - lines.length
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")
}

export const toolError = (message: string): ToolError => new ToolError({ message })

const usd = (amount: Money.NanoUsd): string => `${Money.format(amount)} USD`

const seconds = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`)

const askTheUser = "Calling again will not help: tell the user, who alone can change that"

const again = "then call the tool again with the same arguments"

const againWithKey = `${again}, the same idempotencyKey included`

export const tryAgain = (afterSeconds: number): string => `Wait ${seconds(afterSeconds)}, ${again}.`

/** @param hint additional advice. */
export const invalidInput = ({ issues }: InvalidInput, hint: string | null): ToolError =>
  toolError(
    [
      "The input is not valid for the model. Nothing was run.",
      issueLines(issues, "input"),
      ...(hint === null ? [] : [hint]),
      "get_model_raw_schema shows the schema: correct the input, then call run_model again."
    ].join("\n")
  )

/** @param grant the key's grant, when known. */
export const modelNotGranted = (grant: Grant | null): ToolError => {
  const models = grant?.modelEndpoints ?? []
  const others = models.length === 0 ? "" : ` It is granted ${models.join(", ")}.`
  return toolError(
    `The API key of this assistant's sign-in is not granted this model.${others} ${askTheUser} by signing in with another key.`
  )
}

export const unavailable = `The service cannot reach its storage at the moment. ${tryAgain(5)}`

const messageOf = (error: ToolServiceError): string => {
  switch (error._tag) {
    case "ModelNotGranted":
      return modelNotGranted(null).message
    case "IdempotencyKeyReused":
      return "Another request was submitted under this idempotencyKey in the last 24 hours. A key belongs to one request: for a new request use a new key; to repeat the first one, send exactly its modelEndpoint, input and metadata."
    case "EvaluatorBusy":
      return `Too many inputs wait for a price estimate at the moment. Nothing was run. Wait 1 second, ${againWithKey}.`
    case "QueueFull":
      return `${
        error.isUpstream
          ? "The model's queue is full, and its provider accepts no more runs for now."
          : `The model's queue is full: ${error.limit} requests wait.`
      } Nothing was run. Wait ${seconds(error.retryAfterSeconds)}, ${againWithKey}.`
    case "TooManyOpenRequests":
      return `As many requests of the account have not ended as may be open at once (${error.limit}). Nothing was run. Wait for one of them with wait_for_request, or ${seconds(error.retryAfterSeconds)}, ${againWithKey}.`
    case "InsufficientBalance":
      return `The account's balance is insufficient: this run may cost ${usd(error.required)}, and ${usd(error.available)} is available. Nothing was run. ${askTheUser} by topping up the account.`
    case "BudgetExceeded":
      return `The monthly budget of the API key does not allow this run: it may cost ${usd(error.required)}; ${usd(error.spent)} of ${usd(error.limit)} is spent or held. Nothing was run. ${askTheUser}, or wait until the next budget period begins at ${DateTime.format(error.resetsAt)}.`
    case "RequestNotFound":
      return "There is no request with this requestId. Use the id from run_model, or find it with list_my_requests."
    case "RequestForbidden":
      return "The request belongs to another account, or to a model that is not granted to the API key of this sign-in. list_my_requests shows the readable requests."
    case "TooManyExpanded":
      return `Too many lists are being made at the moment. ${tryAgain(5)}`
    case "BlobStoreError":
      return error.isFull === true
        ? "The service has no storage left. Calling again soon will not help: tell the user."
        : unavailable
    case "ReadModelBehind":
      return `The service's lists lag behind at the moment. ${tryAgain(5)}`
    case "SqlError":
    case "EventStoreError":
      return unavailable
  }
}

export const toErrorAnswer = (error: ToolServiceError): ToolError => toolError(messageOf(error))
