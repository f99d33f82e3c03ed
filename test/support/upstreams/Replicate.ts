/** Replicate's HTTP API. `README.md` lists its documentation. */
import { Effect, type Scope } from "effect"
import type * as Http from "node:http"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

export const version = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa"

type Status = "starting" | "processing" | "succeeded" | "failed" | "canceled" | "aborted"

interface Prediction {
  readonly id: string
  readonly behaviour: Behaviour
  readonly job: PlannedJobs.TakenJob
  readonly input: Json
  status: Status
  logs: string
  held: boolean
  ranSeconds: number
}

/** The rest of a prediction's creation, beside the job. */
interface Created {
  readonly path: string
  readonly body: Json
  /** Lower-case names. */
  readonly headers: Http.IncomingHttpHeaders
}

export interface ReplicateUpstream extends Upstream {
  readonly created: Effect.Effect<ReadonlyArray<Created>>
  /** Ends a prediction without its model, as the dashboard (`canceled`) and a deadline (`aborted`) do. */
  readonly end: (id: string, status: "canceled" | "aborted") => Effect.Effect<void>
}

const secret = "r8_notARealToken0123456789"
const output: Json = ["https://replicate.delivery/pbxt/output-0.png"]

const states: Readonly<Record<Status, PlannedJobs.TakenJob["state"]>> = {
  starting: "queued",
  processing: "running",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "cancelled",
  aborted: "cancelled"
}

const members = new Set(["input", "version", "webhook", "webhook_events_filter", "stream"])
const events: ReadonlyArray<Json> = ["start", "output", "logs", "completed"]

const creation = /^\/v1\/(?:predictions|(models|deployments)\/[\w.-]+\/[\w.-]+\/predictions)$/
const one = /^\/v1\/predictions\/([a-z0-9]+)(\/cancel)?$/

const problem = (
  response: Http.ServerResponse,
  status: number,
  title: string,
  detail: string,
  headers = {}
) => JsonHttp.answer(response, status, { title, detail, status }, headers)

const notFound = (response: Http.ServerResponse) =>
  problem(response, 404, "Not found", "The requested resource could not be found.")

/** The part of a creation's body that the reference does not allow; `null` if it is valid. */
const fault = (body: Json, named: boolean): string | null => {
  if (!JsonHttp.isObject(body) || !JsonHttp.isObject(body["input"])) return "- input: Invalid type."
  const unknown = Object.keys(body).find((name) => !members.has(name))
  if (unknown !== undefined) return `- (root): Additional property ${unknown} is not allowed`
  if (!named && typeof body["version"] !== "string") return "- version: version is required"
  const { webhook, webhook_events_filter: filter } = body
  if (webhook !== undefined && !(typeof webhook === "string" && webhook.startsWith("https://")))
    return "- webhook: must be an HTTPS URL"
  const isFilter = Array.isArray(filter) && filter.every((event: Json) => events.includes(event))
  return filter === undefined || isFilter
    ? null
    : "- webhook_events_filter: Must be one of the allowed events"
}

export const make: Effect.Effect<ReplicateUpstream, never, Scope.Scope> = Effect.gen(function* () {
  const jobs = PlannedJobs.make()
  const predictions = new Map<string, Prediction>()
  const created: Array<Created> = []

  const move = (prediction: Prediction, status: Status) => {
    if (PlannedJobs.isOver(prediction.job)) return
    prediction.status = status
    prediction.ranSeconds = PlannedJobs.seconds(prediction.job)
    if (status === "processing") PlannedJobs.begin(prediction.job)
    else prediction.job.state = states[status]
  }

  const bodyOf = ({ behaviour, id, input, logs, ranSeconds, status }: Prediction): Json => ({
    id,
    model: "replicate/hello-world",
    version,
    input,
    logs,
    output: status === "succeeded" ? output : null,
    error: status === "failed" && behaviour._tag === "Fails" ? behaviour.message : null,
    status,
    created_at: "2023-09-08T16:19:34.765994Z",
    ...(status !== "starting" && { started_at: "2023-09-08T16:19:34.779176Z" }),
    ...(status === "succeeded" && { metrics: { predict_time: ranSeconds } }),
    data_removed: false,
    urls: {
      get: `https://api.replicate.com/v1/predictions/${id}`,
      cancel: `https://api.replicate.com/v1/predictions/${id}/cancel`
    }
  })

  /** A run begins at the first status call and ends at the next, unless it is held. */
  const advance = (prediction: Prediction) => {
    const { behaviour } = prediction
    if (prediction.status === "starting") {
      move(prediction, "processing")
      prediction.logs = "Using seed: 3\n 25%|██▌       | 1/4 [00:01<00:03,  1.00s/it]\r"
      return
    }
    if (prediction.held) return
    prediction.logs += "100%|██████████| 4/4 [00:04<00:00,  1.00s/it]\nDone\n"
    move(prediction, behaviour._tag === "Fails" ? "failed" : "succeeded")
  }

  const create = (request: JsonHttp.JsonRequest, response: Http.ServerResponse, named: boolean) => {
    const behaviour = jobs.next()
    const errorAnswer = fault(request.body, named)
    if (behaviour._tag === "Resets") return void response.destroy()
    if (behaviour._tag === "Babbles") return JsonHttp.babble(response, 201)
    if (behaviour._tag === "RateLimits") {
      const { retryAfterSeconds: seconds } = behaviour
      const detail = `Request was throttled. Your rate limit resets in ~${seconds ?? 1}s.`
      const headers = seconds === undefined ? {} : { "retry-after": String(seconds) }
      return problem(response, 429, "Too many requests", detail, headers)
    }
    if (behaviour._tag === "Refuses")
      return problem(response, behaviour.status, "Refused", "The request was refused.")
    if (errorAnswer !== null) return problem(response, 422, "Input validation failed", errorAnswer)

    const { body, headers, path } = request
    created.push({ path, body, headers })
    const input = JsonHttp.isObject(body) ? (body["input"] ?? null) : null
    const id = `gm3qorzdhgbfurvjtvhg6d${String(predictions.size).padStart(4, "0")}`
    const credential = JsonHttp.credentialOf(headers, "Bearer")
    const job = jobs.take({ id, input, credential, state: "queued" })
    const held = behaviour._tag === "Succeeds" && behaviour.held === true
    const prediction: Prediction = {
      id,
      behaviour,
      job,
      input,
      status: "starting",
      logs: "",
      held,
      ranSeconds: 0
    }
    jobs.onRelease(() => (prediction.held = false))
    if (behaviour._tag !== "Forgets") predictions.set(id, prediction)
    JsonHttp.answer(response, 201, bodyOf(prediction))
  }

  const handle = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const { headers, method, path } = request
    const credential = JsonHttp.credentialOf(headers, "Bearer")
    if (credential === null)
      return problem(response, 401, "Unauthenticated", "You did not pass an authentication token")
    if (credential !== secret)
      return problem(response, 401, "Unauthenticated", "You did not pass a valid authentication token")
    const creating = creation.exec(path)
    if (creating !== null && method === "POST") return create(request, response, creating[1] !== undefined)
    const prediction = predictions.get(one.exec(path)?.[1] ?? "")
    if (prediction === undefined) return notFound(response)
    const isCancel = path.endsWith("/cancel")
    if (method !== (isCancel ? "POST" : "GET")) return notFound(response)
    if (isCancel) move(prediction, "canceled")
    else if (!PlannedJobs.isOver(prediction.job)) advance(prediction)
    return JsonHttp.answer(response, 200, bodyOf(prediction))
  }

  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && handle(read, response))
  })

  return {
    ...jobs.upstream,
    binding: {
      adapter: "replicate",
      url: `http://127.0.0.1:${port}/v1`,
      secretEnv: "REPLICATE_API_TOKEN",
      options: { version }
    },
    secret,
    example: { input: { prompt: "A cat", seed: 3 }, output },
    has: { jobIds: true, cancel: true, logs: true, retryAfter: true },
    created: Effect.sync(() => [...created]),
    end: (id, status) =>
      Effect.sync(() => {
        const prediction = predictions.get(id)
        if (prediction !== undefined) move(prediction, status)
      })
  }
})
