/** fal's queue. `README.md` lists its documentation. */
import { Effect } from "effect"
import type * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as CallBack from "./CallBack.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

/** The answer of the result URL if the request failed. */
export interface Failure {
  readonly status: number
  readonly body: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

interface FalRequest {
  readonly id: string
  readonly behaviour: Behaviour
  readonly job: PlannedJobs.TakenJob
  readonly webhook: string | null
  status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED"
  failure: Failure | null
  ranSeconds: number
}

/** The rest of a request, beside its input. */
interface Submitted {
  readonly path: string
  readonly webhook: string | null
  /** Lower-case names. */
  readonly headers: Http.IncomingHttpHeaders
}

interface FalUpstream extends Upstream {
  readonly submitted: Effect.Effect<ReadonlyArray<Submitted>>
  /** Ends a request with a failure. */
  readonly end: (id: string, failure: Failure) => Effect.Effect<void>
  /** From now on, submissions are answered with URLs of this prefix; with the server's own if `null`. */
  readonly answerWith: (base: string | null) => Effect.Effect<void>
}

const secret = "not-a-real-id:0123456789abcdef"
const output: Json = {
  images: [{ url: "https://fal.media/files/cat.png", width: 1024, height: 768, content_type: "image/png" }],
  seed: 42
}

export const cancelled: Failure = {
  status: 499,
  body: { detail: "Request was cancelled by the client", error_type: "client_cancelled" },
  headers: { "x-fal-error-type": "client_cancelled" }
}

const invalid = (message: string): Failure => ({
  status: 422,
  body: { detail: [{ loc: ["body", "prompt"], msg: message, type: "value_error" }] },
  headers: { "x-fal-retryable": "false" }
})

const submission = /^\/[\w-]+\/[\w.-]+(?:\/[\w.-]+)*$/
/** Status and the other routes do not exist under an app's sub-paths. */
const operation = /^\/([\w-]+\/[\w.-]+)\/requests\/([\w-]+)(?:\/(status|cancel))?$/

export const make = Effect.gen(function* () {
  const jobs = PlannedJobs.make()
  const requests = new Map<string, FalRequest>()
  const submitted: Array<Submitted> = []
  let foreign: string | null = null

  const move = (request: FalRequest, status: FalRequest["status"], failure: Failure | null = null) => {
    const { job } = request
    if (PlannedJobs.isOver(job)) return
    request.status = status
    request.failure = failure
    if (status === "IN_PROGRESS") PlannedJobs.begin(job)
    if (status !== "COMPLETED") return
    request.ranSeconds = PlannedJobs.seconds(job)
    job.state = failure === null ? "succeeded" : failure === cancelled ? "cancelled" : "failed"
    if (request.webhook !== null) CallBack.post(request.webhook, webhookBody(request))
  }

  const urlsOf = (host: string, app: string, id: string) => {
    const base = `${foreign ?? `http://${host}`}/${app}/requests/${id}`
    return { request_id: id, response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` }
  }

  const logs: Json = [
    { message: "Loading the model", timestamp: "2026-03-01T10:00:00.000000", level: "INFO", source: "USER" },
    { message: "Step 1 of 2", timestamp: "2026-03-01T10:00:01.000000", level: "INFO", source: "USER" }
  ]

  /** A run begins at the first status call and ends at the next, unless it is held. */
  const advance = (request: FalRequest) => {
    const { behaviour, status } = request
    const isHeld = behaviour._tag === "Succeeds" && behaviour.held === true
    if (status === "IN_QUEUE") {
      move(request, "IN_PROGRESS")
    } else if (status === "IN_PROGRESS" && !isHeld) {
      move(request, "COMPLETED", behaviour._tag === "Fails" ? invalid(behaviour.message) : null)
    }
  }

  const submit = (request: JsonHttp.JsonRequest, url: URL, response: Http.ServerResponse) => {
    const behaviour = jobs.next()
    if (behaviour._tag === "Resets") return void response.destroy()
    if (behaviour._tag === "Babbles") return JsonHttp.babble(response)
    if (behaviour._tag === "RateLimits") {
      const { retryAfterSeconds: seconds } = behaviour
      const header = seconds === undefined ? {} : { "retry-after": String(seconds) }
      return JsonHttp.answer(response, 429, { detail: "Rate limit exceeded" }, header)
    }
    if (behaviour._tag === "Refuses")
      return JsonHttp.answer(response, behaviour.status, { detail: "The request is refused" })

    const { body, headers, path } = request
    const webhook = url.searchParams.get("fal_webhook")
    submitted.push({ path, webhook, headers })
    const id = `764cabcf-b745-4b3e-ae38-1200304c${String(submitted.length).padStart(4, "0")}`
    const credential = JsonHttp.credentialOf(headers, "Key")
    const job = jobs.take({ id, input: body, credential, state: "queued" })
    const taken: FalRequest = {
      id,
      behaviour,
      job,
      webhook,
      status: "IN_QUEUE",
      failure: null,
      ranSeconds: 0
    }
    if (behaviour._tag === "Succeeds" && behaviour.held === true)
      jobs.onRelease(() => move(taken, "COMPLETED"))
    if (behaviour._tag !== "Forgets") requests.set(id, taken)
    const app = path.split("/").slice(1, 3).join("/")
    JsonHttp.answer(response, 200, {
      status: "IN_QUEUE",
      ...urlsOf(url.host, app, id),
      logs: null,
      metrics: {},
      queue_position: 0
    })
  }

  const tellStatus = (request: FalRequest, app: string, url: URL, response: Http.ServerResponse) => {
    if (!PlannedJobs.isOver(request.job)) advance(request)
    const { failure, id, status } = request
    const urls = urlsOf(url.host, app, id)
    const told = url.searchParams.get("logs") === "1" ? logs : null
    switch (status) {
      case "IN_QUEUE":
        return JsonHttp.answer(response, 202, { status, ...urls, queue_position: 0 })
      case "IN_PROGRESS":
        return JsonHttp.answer(response, 202, { status, ...urls, logs: told })
      case "COMPLETED": {
        const errors = failure === null ? {} : { error: "The request failed", error_type: errorType(failure) }
        const metrics = { inference_time: request.ranSeconds }
        return JsonHttp.answer(response, 200, { status, ...urls, logs: told, metrics, ...errors })
      }
    }
  }

  const tellResult = ({ failure, status }: FalRequest, response: Http.ServerResponse) => {
    if (status !== "COMPLETED")
      return JsonHttp.answer(response, 400, { detail: "Request is still in progress" })
    if (failure === null) return JsonHttp.answer(response, 200, output)
    return JsonHttp.answer(response, failure.status, failure.body, failure.headers)
  }

  /** A waiting request is removed at once; a running one is told to stop and ends a status call later. */
  const cancel = (request: FalRequest, response: Http.ServerResponse) => {
    if (PlannedJobs.isOver(request.job))
      return JsonHttp.answer(response, 400, { status: "ALREADY_COMPLETED" })
    const isQueued = request.status === "IN_QUEUE"
    move(request, "COMPLETED", cancelled)
    return isQueued
      ? JsonHttp.answer(response, 200, { status: "OK" })
      : JsonHttp.answer(response, 202, { status: "CANCELLATION_REQUESTED" })
  }

  const handle = (request: JsonHttp.JsonRequest, url: URL, response: Http.ServerResponse) => {
    const { headers, method, path } = request
    if (JsonHttp.credentialOf(headers, "Key") !== secret)
      return JsonHttp.answer(response, 401, {
        detail: "Authentication is required to access this application"
      })
    const [, app = "", id, name] = operation.exec(path) ?? []
    if (id === undefined) {
      if (method === "POST" && submission.test(path)) return submit(request, url, response)
      return JsonHttp.answer(response, 404, { detail: "Not Found" })
    }
    if (method !== (name === "cancel" ? "PUT" : "GET"))
      return JsonHttp.answer(response, 405, { detail: "Method Not Allowed" })
    const found = requests.get(id)
    if (found === undefined) {
      const body: Json = name === "cancel" ? { status: "NOT_FOUND" } : { detail: "Request not found" }
      return JsonHttp.answer(response, 404, body)
    }
    if (name === "cancel") return cancel(found, response)
    return name === "status" ? tellStatus(found, app, url, response) : tellResult(found, response)
  }

  const { port } = yield* Receiver.http((request, response) => {
    const url = new URL(request.url ?? "", `http://${request.headers.host ?? ""}`)
    void JsonHttp.read(request).then((read) => read !== null && handle(read, url, response))
  })

  const upstream: FalUpstream = {
    ...jobs.upstream,
    binding: {
      adapter: "fal",
      url: `http://127.0.0.1:${port}`,
      secretEnv: "FAL_KEY",
      options: { app: "fal-ai/flux/dev" }
    },
    secret,
    example: { input: { prompt: "a cat", num_images: 1 }, output },
    has: { jobIds: true, cancel: true, logs: true, retryAfter: true },
    submitted: Effect.sync(() => [...submitted]),
    end: (id, failure) =>
      Effect.sync(() => {
        const request = requests.get(id)
        if (request !== undefined) move(request, "COMPLETED", failure)
      }),
    answerWith: (base) => Effect.sync(() => void (foreign = base))
  }
  return upstream
})

const webhookBody = ({ failure, id }: FalRequest): Json => ({
  request_id: id,
  gateway_request_id: id,
  ...(failure === null
    ? { status: "OK", payload: output }
    : { status: "ERROR", error: `Unexpected status code: ${failure.status}`, payload: failure.body })
})

const errorType = ({ body }: Failure): Json => body["error_type"] ?? null
