import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schema } from "effect"
import * as JobReport from "#src/features/providers/JobReport.ts"
import * as QueuedJobs from "#src/features/providers/QueuedJobs.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import { jobOf, limit } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"

type Follow = NonNullable<QueuedJobs.Protocol<unknown>["follow"]>

/** Runs a job that goes on until its output was followed, or for ever. */
const outcomeOf = Effect.fnUntraced(function* (port: number, follow: Follow, goesOn = false) {
  const followed = yield* Deferred.make<void>()
  const protocol = QueuedJobs.make({
    adapter: "replicate",
    options: Schema.Struct({}),
    defaultUrl: "https://queue.example.com",
    scheme: "Bearer",
    submission: ({ base }) => ({ method: "POST", url: `${base}/jobs` }),
    jobIdIn: () => "j1",
    asking: () => () =>
      goesOn
        ? Effect.succeed(JobReport.running)
        : Effect.as(
            Deferred.await(followed),
            JobReport.ended({ _tag: "Succeeded", output: "a", delivered: null })
          ),
    cancellation: ({ base }, id) => ({ method: "POST", url: `${base}/jobs/${id}/cancel` }),
    follow: (...given) =>
      Effect.ensuring(follow(...given) ?? Effect.void, Deferred.succeed(followed, undefined))
  })
  const provider = yield* Effect.provide(protocol, yield* Layer.build(Surroundings.layer({ KEY: "secret" })))
  const { control } = yield* RecordedControl.make
  const url = `http://127.0.0.1:${port}`
  const plain = jobOf({ name: "queue", adapter: "replicate", url, secretEnv: "KEY" }, {})
  const job = { ...plain, model: { ...plain.model, output: { stream: "text" as const } } }
  return yield* Effect.timeout(provider.run(job, control), limit)
})

/** A server that answers everything, and the calls to it as `/path: credential`. */
const server = Effect.gen(function* () {
  const calls: Array<string> = []
  const { port } = yield* Receiver.http((request: Http.IncomingMessage, response) => {
    calls.push(`${request.url}: ${request.headers.authorization ?? "none"}`)
    JsonHttp.answer(response, 200, {})
  })
  return { port, calls }
})

describe("A queued job whose output streams", () => {
  it.live("shows the credential to the binding's origin alone", () =>
    Effect.gen(function* () {
      const own = yield* server
      const other = yield* server
      const outcome = yield* outcomeOf(own.port, ({ stream }) =>
        Effect.forEach(
          [own, other],
          ({ port }) =>
            stream({ method: "GET", url: `http://127.0.0.1:${port}/stream` }, ({ whole }) => whole),
          { discard: true }
        )
      )
      assert.strictEqual(outcome._tag, "Succeeded")
      assert.deepStrictEqual(own.calls, ["/jobs: Bearer secret", "/stream: Bearer secret"])
      assert.deepStrictEqual(other.calls, ["/stream: none"])
    })
  )

  it.live("is stopped at the provider when its chunks are not of the model's kind", () =>
    Effect.gen(function* () {
      const { calls, port } = yield* server
      const follow: Follow = (_access, _answer, chunks) => Effect.sync(() => void chunks.take(1))
      const outcome = yield* outcomeOf(port, follow, true)
      assert.strictEqual(outcome._tag, "ModelFailed", JSON.stringify(outcome))
      assert.deepStrictEqual(calls, ["/jobs: Bearer secret", "/jobs/j1/cancel: Bearer secret"])
    })
  )
})
