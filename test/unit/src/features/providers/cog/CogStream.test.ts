import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import * as CogProvider from "#src/features/providers/cog/CogProvider.ts"
import { streamContract } from "#test/support/src/features/providers/contract/StreamContract.ts"
import * as CogStream from "#test/support/upstreams/streams/Cog.ts"

streamContract("cog", { upstream: CogStream.make, provider: CogProvider.make })

describe("A Cog server that does not stream", () => {
  /** A server that answers with these statuses in turn, and then calls back with these predictions. */
  const outcomeAfter = Effect.fnUntraced(function* (
    statuses: ReadonlyArray<number>,
    predictions: ReadonlyArray<JsonObject>
  ) {
    const accepts: Array<string | undefined> = []
    const { port } = yield* Receiver.http((request, response) => {
      void JsonHttp.read(request).then(async (read) => {
        if (read === null || read.method !== "PUT") return JsonHttp.answer(response, 200, { status: "BUSY" })
        const status = statuses[accepts.length] ?? 500
        accepts.push(read.headers.accept)
        JsonHttp.answer(response, status, status === 202 ? { id, status: "starting" } : {})
        if (status !== 202 || !JsonHttp.isObject(read.body)) return
        const webhook = String(read.body["webhook"])
        const headers = { "content-type": "application/json" }
        for (const body of predictions)
          await fetch(webhook, { method: "POST", headers, body: JSON.stringify({ id, ...body }) })
      })
    })
    const upstream = yield* CogStream.make
    const run = yield* AdapterRuns.begin(
      { provider: CogProvider.make },
      { ...upstream, example: { input: upstream.input } },
      { url: `http://127.0.0.1:${port}`, stream: "text" }
    )
    return { outcome: yield* run.outcome, chunks: run.chunks, restarts: run.restarts(), accepts }
  })

  const id = "rq0000000000000000001-1"
  const succeeded = { status: "succeeded", output: ["a", "b"] }

  it.live("reports the parts that its webhooks have", () =>
    Effect.gen(function* () {
      const { accepts, chunks, outcome, restarts } = yield* outcomeAfter(
        [202],
        [{ status: "processing", output: ["a"] }, succeeded]
      )
      assert.deepInclude(outcome, { _tag: "Succeeded", output: "ab" })
      assert.deepStrictEqual([chunks, restarts], [["a", "b"], 0])
      assert.deepStrictEqual(accepts, ["text/event-stream"])
    })
  )

  it.live("is asked again without a stream if its model has none", () =>
    Effect.gen(function* () {
      const { accepts, outcome } = yield* outcomeAfter([406, 202], [succeeded])
      assert.deepInclude(outcome, { _tag: "Succeeded", output: "ab" })
      assert.deepStrictEqual(accepts, ["text/event-stream", "application/json"])
    })
  )
})
