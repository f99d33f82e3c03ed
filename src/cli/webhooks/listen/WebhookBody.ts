/** Rebuilds a webhook's body from the server's routes, byte for byte (`src/features/webhooks/DeliveryBody.ts`). */
import { Effect, Schedule } from "effect"
import { NotFoundError } from "#clients/typescript/Errors.ts"
import { RequestOutcomeError } from "#clients/typescript/OutcomeErrors.ts"
import type { RetrievedRequest } from "#clients/typescript/Wire.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { CallError } from "#src/cli/platform/CallError.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import type { SelectedEvent } from "./EventSelection.ts"

/** Waits for the server as long as it takes. The event stream reports that it is away. */
const patient: Platform.Connection = { retries: Infinity, onWait: () => {} }

/** Pause until a node has received an end that another node has reported. */
const pause = Schedule.spaced("500 millis")

/** Fields of `GET /requests/{id}` that are not part of the result. */
const excluded: ReadonlySet<string> = new Set([
  "response_url",
  "status_url",
  "cancel_url",
  "billingStatus",
  "expiresAt",
  "erasedAt"
])

const resultIn = (retrieved: RetrievedRequest) =>
  Object.fromEntries(Object.entries(retrieved).filter(([name]) => !excluded.has(name)))

/** The state of the request at its start (decisions, "Payload of `start`"). */
const atStart = {
  status: "IN_PROGRESS",
  output: null,
  error: null,
  inferenceTime: null,
  outcome: "pending",
  cost: "0",
  media: []
}

/** Whether the URL is at least as secure as the server's. Otherwise the key would be sent in clear text. */
const isAsSecure = (url: string, serverUrl: string): boolean =>
  url.startsWith("https:") || (url.startsWith("http:") && serverUrl.startsWith("http:"))

/** The 422 with the reason of the missing output (contract, "Errors"). */
const readResult = ({ modelEndpoint, requestId: id }: SelectedEvent, connection: Platform.Connection) =>
  Platform.call((client, signal) => client.result({ id, modelEndpoint }, { signal }), connection).pipe(
    Effect.catch((error) =>
      error instanceof CallError && error.cause instanceof RequestOutcomeError
        ? Effect.succeed(error.cause.request)
        : Effect.fail(error)
    )
  )

/** If hosts differ, only the queue host serves the result. */
const withoutOutput = Effect.fnUntraced(function* (selected: SelectedEvent, responseUrl: string) {
  const { url } = yield* Platform.Platform
  return yield* Effect.catchIf(
    readResult(selected, patient),
    (error) =>
      error instanceof CallError && error.cause instanceof NotFoundError && isAsSecure(responseUrl, url),
    () =>
      readResult(selected, {
        ...patient,
        queueUrl: responseUrl.replace(/(\/[^/]+){2}\/requests\/[^/]+$/, "")
      })
  )
})

/** Reads a request, and its answer as a value that remembers its text: what the client reads has lost digits and order of payloads. */
const retrieve = Effect.fnUntraced(function* ({ event, requestId }: SelectedEvent) {
  const { fetch } = yield* Platform.Platform
  let text = ""
  const connection: Platform.Connection = {
    ...patient,
    fetch: async (...call) => {
      const response = await fetch(...call)
      text = await response.clone().text()
      return response
    }
  }
  const retrieved = yield* Platform.call(
    (client, signal) => client.requests.get(requestId, { signal }),
    connection
  ).pipe(
    Effect.repeat({
      until: ({ billingStatus = null }) => event === "start" || billingStatus !== null,
      schedule: pause
    })
  )
  return { retrieved, answer: JsonText.parse(text) }
})

export const of = Effect.fnUntraced(function* (selected: SelectedEvent) {
  const { event } = selected
  const { answer, retrieved } = yield* retrieve(selected)
  const textOf = (name: string) => JsonText.write(JsonText.member(answer, name) ?? null)
  const result = resultIn(retrieved)
  const input = textOf("input")
  if (event === "start") {
    const { details: _details, ...started } = result
    return CanonicalJson.stringifyWith({ ...started, ...atStart, event }, { input, output: "null" })
  }
  const { billingStatus, outcome, response_url } = retrieved
  const isWithoutOutput = outcome === "invalid_output" || outcome === "provider_failed"
  const ended = isWithoutOutput ? yield* withoutOutput(selected, response_url) : result
  const output = isWithoutOutput ? "null" : textOf("output")
  // As it came from the server.
  return CanonicalJson.stringifyWith({ ...ended, event, billingStatus } as CanonicalJson.JsonObject, {
    input,
    output
  })
})
