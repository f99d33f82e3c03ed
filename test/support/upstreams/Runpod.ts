/** A queue-based endpoint of Runpod Serverless. `README.md` lists its documentation. */
import { Effect } from "effect"
import type * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as CallBack from "./CallBack.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

type Status = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"

interface Run {
  readonly id: string
  readonly behaviour: Behaviour
  readonly job: PlannedJobs.TakenJob
  readonly webhook: string | null
  status: Status
  /** The last value given to `progress_update`. */
  update: Json | undefined
  ranSeconds: number
}

interface RunpodUpstream extends Upstream {
  /** Bodies of `/run`, in order. */
  readonly received: Effect.Effect<ReadonlyArray<Json>>
  /** Ends a job without its worker: it was cancelled in the console, or timed out. */
  readonly end: (id: string, status: "CANCELLED" | "TIMED_OUT") => Effect.Effect<void>
  /** The progress that the worker reports from now on. */
  readonly update: (id: string, update: Json) => Effect.Effect<void>
}

const secret = "rpa_NOTAREALKEY0123456789"
const endpointId = "abc123endpoint"
const output: Json = [{ image: "https://image.url", seed: 46578 }]

const states: Readonly<Record<Status, PlannedJobs.TakenJob["state"]>> = {
  IN_QUEUE: "queued",
  IN_PROGRESS: "running",
  COMPLETED: "succeeded",
  FAILED: "failed",
  CANCELLED: "cancelled",
  TIMED_OUT: "failed"
}

const week = 7 * 24 * 3_600_000

const isBetween = (value: Json | undefined, least: number, most: number) =>
  value === undefined || (typeof value === "number" && value >= least && value <= most)

/** The error in a body of `/run`; `null` if it is valid. */
const fault = (body: Json): string | null => {
  if (!JsonHttp.isObject(body) || !JsonHttp.isObject(body["input"])) return "input is required"
  const policy = body["policy"] ?? {}
  if (!JsonHttp.isObject(policy)) return "policy is not an object"
  if (!isBetween(policy["executionTimeout"], 5_001, week))
    return "executionTimeout must be more than 5 seconds"
  return isBetween(policy["ttl"], 10_000, week) ? null : "ttl must be between 10 seconds and 1 week"
}

const operation = /^\/v2\/([\w-]+)\/(run|status|cancel)(?:\/([\w-]+))?$/

export const make = Effect.gen(function* () {
  const jobs = PlannedJobs.make()
  const runs = new Map<string, Run>()
  const received: Array<Json> = []

  const move = (run: Run, status: Status) => {
    if (PlannedJobs.isOver(run.job)) return
    run.status = status
    run.ranSeconds = PlannedJobs.seconds(run.job)
    if (status === "IN_PROGRESS") PlannedJobs.begin(run.job)
    else run.job.state = states[status]
    if (PlannedJobs.isOver(run.job) && run.webhook !== null) CallBack.post(run.webhook, bodyOf(run))
  }

  const bodyOf = ({ behaviour, id, ranSeconds, status, update }: Run): JsonObject => {
    const body = { id, status }
    switch (status) {
      case "IN_QUEUE":
      case "CANCELLED":
        return body
      case "IN_PROGRESS":
        return { ...body, delayTime: 2188, workerId: "w1", ...(update !== undefined && { output: update }) }
      case "COMPLETED":
        return {
          ...body,
          delayTime: 2188,
          executionTime: Math.ceil(1_000 * ranSeconds),
          workerId: "w1",
          output
        }
      case "FAILED": {
        const message = behaviour._tag === "Fails" ? behaviour.message : "it failed"
        return { ...body, delayTime: 2188, executionTime: 15, workerId: "w1", error: message }
      }
      case "TIMED_OUT":
        return { ...body, delayTime: 2188, executionTime: 600_000, error: "job timed out after 1 retries" }
    }
  }

  /** A run begins at the first status call and ends at the next, unless it is held. */
  const advance = (run: Run) => {
    const { behaviour, status } = run
    const isHeld = behaviour._tag === "Succeeds" && behaviour.held === true
    if (status === "IN_QUEUE") {
      move(run, "IN_PROGRESS")
      run.update = "Update 1/3"
    } else if (status === "IN_PROGRESS" && !isHeld) {
      move(run, behaviour._tag === "Fails" ? "FAILED" : "COMPLETED")
    }
  }

  const submit = ({ body, headers }: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const behaviour = jobs.next()
    if (behaviour._tag === "Resets") return void response.destroy()
    if (behaviour._tag === "Babbles") return JsonHttp.babble(response)
    if (behaviour._tag === "RateLimits") {
      const { retryAfterSeconds: seconds } = behaviour
      const header = seconds === undefined ? {} : { "retry-after": String(seconds) }
      return JsonHttp.answer(response, 429, { error: "too many requests" }, header)
    }
    if (behaviour._tag === "Refuses")
      return JsonHttp.answer(response, behaviour.status, { error: "the call is refused" })
    const wrong = fault(body)
    if (wrong !== null) return JsonHttp.answer(response, 400, { error: wrong })

    received.push(body)
    const input = JsonHttp.isObject(body) ? (body["input"] ?? null) : null
    const id = `eaebd6e7-6a92-4bb8-a911-f996ac5e${String(runs.size + received.length).padStart(4, "0")}-u1`
    const credential = JsonHttp.credentialOf(headers, "Bearer")
    const job = jobs.take({ id, input, credential, state: "queued" })
    const webhook = JsonHttp.isObject(body) && typeof body["webhook"] === "string" ? body["webhook"] : null
    const run: Run = { id, behaviour, job, webhook, status: "IN_QUEUE", update: undefined, ranSeconds: 0 }
    if (behaviour._tag === "Succeeds" && behaviour.held === true) jobs.onRelease(() => move(run, "COMPLETED"))
    if (behaviour._tag !== "Forgets") runs.set(id, run)
    JsonHttp.answer(response, 200, { id, status: "IN_QUEUE" })
  }

  const handle = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const { headers, method, path } = request
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return void response.writeHead(401).end()
    const [, endpoint, name, id] = operation.exec(path) ?? []
    if (endpoint !== endpointId || method !== (name === "status" ? "GET" : "POST"))
      return JsonHttp.answer(response, 404, { error: "endpoint not found" })
    if (name === "run") return submit(request, response)
    const run = runs.get(id ?? "")
    if (run === undefined) return JsonHttp.answer(response, 404, { error: "job not found" })
    if (name === "cancel") move(run, "CANCELLED")
    else advance(run)
    return JsonHttp.answer(response, 200, bodyOf(run))
  }

  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && handle(read, response))
  })

  const withRun = (id: string, act: (run: Run) => void) =>
    Effect.sync(() => {
      const run = runs.get(id)
      if (run !== undefined) act(run)
    })

  const upstream: RunpodUpstream = {
    ...jobs.upstream,
    binding: {
      adapter: "runpod",
      url: `http://127.0.0.1:${port}/v2`,
      secretEnv: "RUNPOD_API_KEY",
      options: { endpointId }
    },
    secret,
    example: { input: { prompt: "Hello, world!" }, output },
    has: { jobIds: true, cancel: true, logs: true, retryAfter: true },
    received: Effect.sync(() => [...received]),
    end: (id, status) => withRun(id, (run) => move(run, status)),
    update: (id, update) => withRun(id, (run) => void (run.update = update))
  }
  return upstream
})
