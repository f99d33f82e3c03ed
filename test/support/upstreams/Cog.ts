/**
 * A container built by Cog, as documented at https://cog.run/http (predictions with client ids, `Prefer:
 * respond-async`, webhooks, cancel, health check). A reverse proxy in front requires a bearer token. Like Cog's
 * server, it also reports by webhook that a prediction without a slot has failed (replicate/cog, crates/coglet).
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

interface Prediction {
  readonly id: string
  readonly behaviour: Behaviour
  readonly job: PlannedJobs.TakenJob
  readonly webhook: string | null
  readonly events: ReadonlyArray<Json>
  held: boolean
}

export interface CogUpstream extends Upstream {
  /** The status of the health check; `null`: BUSY or READY, as it is. */
  readonly setHealth: (status: string | null) => Effect.Effect<void>
  /** Sends no webhooks from now on. */
  readonly silence: Effect.Effect<void>
  /** Ids of cancel calls, in order. */
  readonly cancels: Effect.Effect<ReadonlyArray<string>>
}

const secret = "cog_notARealSecret0123456789"
const output: Json = "data:text/plain;base64,SGVsbG8="

/** Ends with the answer or with the connection. */
const post = (url: string, body: JsonObject) =>
  new Promise<void>((resolve) => {
    Http.request(url, { method: "POST", headers: { "content-type": "application/json" }, agent: false })
      .on("error", () => resolve())
      .on("response", (response) => response.resume().on("close", resolve))
      .end(JSON.stringify(body))
  })

export const make: Effect.Effect<CogUpstream, never, Scope.Scope> = Effect.gen(function* () {
  const jobs = PlannedJobs.make()
  const predictions = new Map<string, Prediction>()
  let health: string | null = null
  let isSilent = false
  const cancels: Array<string> = []

  /** In order. */
  let sending = Promise.resolve()
  const tell = ({ events, id, webhook }: Prediction, event: string, body: JsonObject) => {
    if (isSilent || webhook === null || (events.length > 0 && !events.includes(event))) return
    sending = sending.then(() => post(webhook, { id, ...body }))
  }

  const end = (prediction: Prediction, status: "succeeded" | "failed" | "canceled") => {
    const { behaviour, job } = prediction
    if (PlannedJobs.isOver(job)) return
    job.state = status === "canceled" ? "cancelled" : status
    predictions.delete(prediction.id)
    tell(prediction, "completed", {
      status,
      logs: "loading weights\nstep 1\n",
      metrics: { predict_time: PlannedJobs.seconds(job) },
      ...(status === "succeeded" && { output }),
      ...(status === "failed" && { error: behaviour._tag === "Fails" ? behaviour.message : "" })
    })
  }

  const begin = (prediction: Prediction) => {
    PlannedJobs.begin(prediction.job)
    tell(prediction, "start", { status: "starting" })
    tell(prediction, "logs", { status: "processing", logs: "loading weights\nst" })
    if (!prediction.held) end(prediction, prediction.behaviour._tag === "Fails" ? "failed" : "succeeded")
  }

  const create = (request: JsonHttp.JsonRequest, response: Http.ServerResponse, id: string) => {
    const { body, headers } = request
    const existing = predictions.get(id)
    if (existing !== undefined) return JsonHttp.answer(response, 202, { id, status: "processing" })
    const behaviour = jobs.next()
    if (behaviour._tag === "Resets") return void response.destroy()
    if (behaviour._tag === "Babbles") return JsonHttp.babble(response, 202)
    if (!JsonHttp.isObject(body) || (body["id"] !== undefined && body["id"] !== id)) {
      const detail = [{ loc: ["body", "id"], msg: "prediction ID must match", type: "value_error" }]
      return JsonHttp.answer(response, 422, { detail })
    }
    const prediction: Prediction = {
      id,
      behaviour,
      job: { id, input: null, credential: null, state: "queued", begunAt: null },
      webhook: typeof body["webhook"] === "string" ? body["webhook"] : null,
      events: Array.isArray(body["webhook_events_filter"]) ? body["webhook_events_filter"] : [],
      held: behaviour._tag === "Succeeds" && behaviour.held === true
    }
    if (behaviour._tag === "RateLimits") {
      const error = "At capacity - all prediction slots busy"
      tell(prediction, "completed", { status: "failed", error })
      return void sending.then(() => JsonHttp.answer(response, 409, { error, status: "failed" }))
    }
    if (behaviour._tag === "Refuses") {
      return JsonHttp.answer(response, behaviour.status, { error: "refused", status: "failed" })
    }
    if (headers["prefer"] !== "respond-async") return JsonHttp.answer(response, 500, {})
    const job = jobs.take({
      id,
      input: body["input"] ?? null,
      credential: JsonHttp.credentialOf(headers, "Bearer"),
      state: "queued"
    })
    JsonHttp.answer(response, 202, { id, status: "starting" })
    if (behaviour._tag === "Forgets") return
    const taken = { ...prediction, job }
    predictions.set(id, taken)
    jobs.onRelease(() => {
      taken.held = false
      end(taken, "succeeded")
    })
    begin(taken)
  }

  const serve = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const { headers, method, path } = request
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return JsonHttp.answer(response, 401, {})
    if (method === "GET" && path === "/health-check") {
      const status = health ?? (predictions.size > 0 ? "BUSY" : "READY")
      return JsonHttp.answer(response, 200, { status, version: { coglet: "0.17.0" } })
    }
    const [, id, isCancel] = /^\/predictions\/([\w-]+)(\/cancel)?$/.exec(path) ?? []
    if (id === undefined) return JsonHttp.answer(response, 404, {})
    if (isCancel === undefined && method === "PUT") return create(request, response, id)
    if (isCancel === undefined || method !== "POST") return JsonHttp.answer(response, 405, {})
    cancels.push(id)
    const prediction = predictions.get(id)
    if (prediction === undefined) return JsonHttp.answer(response, 404, {})
    JsonHttp.answer(response, 200, {})
    end(prediction, "canceled")
  }

  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && serve(read, response))
  })

  return {
    ...jobs.upstream,
    binding: { adapter: "cog", url: `http://127.0.0.1:${port}`, secretEnv: "COG_TOKEN" },
    secret,
    example: { input: { prompt: "A cat" }, output },
    has: { jobIds: true, cancel: true, logs: true, retryAfter: false, answersLater: false },
    cancels: Effect.sync(() => [...cancels]),
    silence: Effect.sync(() => void (isSilent = true)),
    setHealth: (status) => Effect.sync(() => void (health = status))
  }
})
