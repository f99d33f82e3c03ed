/**
 * Requests with events that this release cannot read, for instance of a newer release: they wait and do not delay
 * others.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isTerminal } from "#domain/inference-request/State.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const patient = testModel("test/patient", { timeoutSeconds: 100_000, concurrency: 2 })
const start = (name: string) => TestNode.start({ name, models: [single, patient] })

describe("An unreadable request", () => {
  it.effect("stops no other request from being recovered or run, claimed or queued", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const first = yield* start("first")
      const claimed = yield* first.on(Facts.submit({ model: patient }))
      yield* provider.next
      const alsoClaimed = yield* first.on(Facts.submit({ model: patient }))
      yield* provider.next
      yield* first.crash
      yield* Facts.makeUnreadable(claimed)

      provider.answerWith(() => Effect.succeed(succeeded()))
      const second = yield* start("second")
      const later = yield* second.on(Facts.submit({ model: single }))
      yield* second.on(Facts.untilEnd(later))
      yield* second.on(Facts.untilType(alsoClaimed, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      yield* second.on(Facts.untilEnd(alsoClaimed))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("does not stop notifications of other requests", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const requests = yield* Requests
      const broken = yield* Facts.submit({ model: single })
      const first = yield* provider.next
      const watching = yield* Effect.forkChild(
        requests.waitUntil(yield* Facts.snapshot(broken), () => false, 60_000)
      )
      yield* Effect.yieldNow
      yield* Facts.makeUnreadable(broken)
      yield* first.ends(succeeded())

      const sound = yield* Facts.submit({ model: patient })
      const hearing = yield* Effect.forkChild(
        requests.waitUntil(yield* Facts.snapshot(sound), ({ request }) => isTerminal(request.phase), 60_000)
      )
      yield* Effect.yieldNow
      yield* (yield* provider.next).ends(succeeded())
      assert.strictEqual((yield* Fiber.join(hearing)).request.phase._tag, "Completed")
      yield* Fiber.interrupt(watching)
    }).pipe(Effect.provide(TestNode.layer({ models: [single, patient] })))
  )
})
