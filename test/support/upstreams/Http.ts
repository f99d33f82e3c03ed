/** A worker that implements `docs/reference/provider-contract.md`, written from that page. */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

/** `answers`: in the answer to POST. `polled`: 202, and the outcome is polled. `calls`: 202, and it calls back. */
export type Way = "answers" | "polled" | "calls"

interface Run {
  readonly key: string
  readonly behaviour: Behaviour
  readonly job: PlannedJobs.TakenJob
  readonly callback: string
  held: boolean
  /** The number of status calls. */
  asked: number
  end: (state: JsonObject) => void
}

export interface HttpUpstream extends Upstream {
  /** Bodies and headers of the accepted runs, in order. */
  readonly posts: Effect.Effect<ReadonlyArray<JsonHttp.JsonRequest>>
}

const secret = "wk_notARealSecret0123456789"
const output: Json = { text: "HELLO", chars: 5 }

const call = (url: string, body: JsonObject) =>
  Http.request(url, { method: "POST", headers: { "content-type": "application/json" }, agent: false })
    .on("error", () => {})
    .on("response", (response) => response.resume())
    .end(JSON.stringify(body))

export const make = (way: Way): Effect.Effect<HttpUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    const jobs = PlannedJobs.make()
    const runs = new Map<string, Run>()
    const posts: Array<JsonHttp.JsonRequest> = []

    const move = ({ job }: Run, state: PlannedJobs.TakenJob["state"]) => {
      if (!PlannedJobs.isOver(job)) job.state = state
    }

    const outcome = ({ behaviour }: Run): JsonObject =>
      behaviour._tag === "Fails"
        ? { error: behaviour.message, logs: ["loading", "broken"] }
        : { output, units: 2.5, logs: ["loading", "done"] }

    const finish = (run: Run) => {
      if (PlannedJobs.isOver(run.job)) return
      move(run, run.behaviour._tag === "Fails" ? "failed" : "succeeded")
      run.end(outcome(run))
    }

    /** A run begins at once, and ends unless it is held. */
    const begin = (run: Run) => {
      move(run, "running")
      if (way === "calls") call(run.callback, { status: "running", progress: 0.5, logs: ["loading"] })
      if (way !== "polled" && !run.held) finish(run)
    }

    const post = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
      const { body, headers } = request
      const behaviour = jobs.next()
      if (behaviour._tag === "Resets") return void response.destroy()
      if (behaviour._tag === "Babbles") return JsonHttp.babble(response, way === "answers" ? 200 : 202)
      if (behaviour._tag === "Refuses") return JsonHttp.answer(response, behaviour.status, { error: "No." })
      if (behaviour._tag === "RateLimits") {
        const { retryAfterSeconds: seconds } = behaviour
        return JsonHttp.answer(
          response,
          429,
          {},
          seconds === undefined ? {} : { "retry-after": String(seconds) }
        )
      }
      if (!JsonHttp.isObject(body)) return JsonHttp.answer(response, 400, { error: "expected an object" })
      posts.push(request)
      const key = String(headers["idempotency-key"])
      const id = way === "polled" ? `job-${posts.length}` : key
      const job = jobs.take({
        id: way === "answers" ? null : id,
        input: body["input"] ?? null,
        credential: JsonHttp.credentialOf(headers, "Bearer"),
        state: "queued"
      })
      const run: Run = {
        key,
        behaviour,
        job,
        callback: String(body["callback"]),
        held: behaviour._tag === "Succeeds" && behaviour.held === true,
        asked: 0,
        end: (state) => {
          if (way === "answers") JsonHttp.answer(response, 200, state)
          if (way === "calls") call(run.callback, state)
        }
      }
      jobs.onRelease(() => {
        run.held = false
        if (way !== "polled") finish(run)
      })
      if (behaviour._tag === "Forgets") {
        if (way === "answers") return void response.destroy()
        return JsonHttp.answer(response, 202, { jobId: id })
      }
      runs.set(id, run)
      if (way !== "answers") JsonHttp.answer(response, 202, way === "polled" ? { jobId: id } : {})
      begin(run)
    }

    const get = (run: Run, response: Http.ServerResponse) => {
      run.asked++
      if (run.job.state === "cancelled") return JsonHttp.answer(response, 200, { status: "cancelled" })
      if (way === "polled" && run.asked > 2 && !run.held) finish(run)
      if (way === "polled" && PlannedJobs.isOver(run.job)) return JsonHttp.answer(response, 200, outcome(run))
      const state: JsonObject =
        run.asked === 1 ? { status: "queued" } : { status: "running", progress: 0.25, logs: ["loading"] }
      return JsonHttp.answer(response, 200, state)
    }

    const serve = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
      const { headers, method, path } = request
      if (JsonHttp.credentialOf(headers, "Bearer") !== secret)
        return JsonHttp.answer(response, 401, { error: `wrong secret ${String(headers.authorization)}` })
      if (method === "POST" && path === "/run") return post(request, response)
      const run = runs.get(/^\/run\/(.+)$/.exec(path)?.[1] ?? "")
      if (run === undefined) return JsonHttp.answer(response, 404, { error: "unknown run" })
      if (method === "GET") return get(run, response)
      move(run, "cancelled")
      if (run.job.state === "cancelled" && way === "calls") call(run.callback, { status: "cancelled" })
      response.writeHead(204).end()
    }

    const { port } = yield* Receiver.http((request, response) => {
      void JsonHttp.read(request).then((read) => read !== null && serve(read, response))
    })

    return {
      ...jobs.upstream,
      binding: { adapter: "http", url: `http://127.0.0.1:${port}/run`, secretEnv: "WORKER_SECRET" },
      secret,
      example: { input: { text: "hello" }, output },
      has: {
        jobIds: way !== "answers",
        cancel: true,
        logs: true,
        retryAfter: true,
        ...(way === "calls" && { answersLater: false })
      },
      posts: Effect.sync(() => [...posts])
    }
  })
