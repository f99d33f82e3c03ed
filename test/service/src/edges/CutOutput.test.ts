/** How the other protocols show a run that a cancel stopped after it had delivered something. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as FalEnds from "#src/edges/fal/requests/FalEnds.ts"
import * as Endings from "#src/edges/openai/calls/Endings.ts"
import * as OutputEvents from "#src/edges/replicate/predictions/OutputEvents.ts"
import * as PredictionView from "#src/edges/replicate/predictions/PredictionView.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Readers from "#test/support/src/features/live-output/Readers.ts"

const urls = { baseUrl: "https://api.acme.dev", mediaUrl: "https://media.acme.dev" }
const payloads = { input: null, output: "ab" }

/** A request of which "ab" was delivered. */
const cutRequest = Effect.gen(function* () {
  const { id, run } = yield* Readers.begunOf(Readers.counted)
  yield* Readers.say(run, "ab")
  const cancelling = yield* Effect.forkScoped(Facts.cancel(id, Readers.counted))
  yield* run.stopRequested
  yield* run.ends({ _tag: "CutShort", output: "ab" })
  return yield* Fiber.join(cancelling)
})

describe("A part of an output", () => {
  it.effect("is told from a whole one by every client", () =>
    Effect.gen(function* () {
      const ended = yield* cutRequest
      const result = ResultView.result(urls, ended, payloads)
      assert.deepInclude(result, { status: "COMPLETED", outcome: "partial", output: "ab", error: null })
      const prediction = PredictionView.record(urls, ended, payloads, null)
      assert.deepInclude(prediction, { status: "canceled", output: "ab", error: null })
      assert.include(OutputEvents.done(urls, ended), '{"reason":"canceled"}')
      assert.isNull(FalEnds.failureOf(ended))
      assert.deepStrictEqual(FalEnds.partHeader(ended), { "x-inferlog-outcome": "partial" })
      assert.isNotNull(Endings.errorOf(ended))
    }).pipe(Effect.provide(TestNode.layer({ catalog: Readers.countedCatalog })))
  )
})
