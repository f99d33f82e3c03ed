/** What receivers answered, kept beside the events and erased with the body. */
import { describe, it } from "@effect/vitest"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const answer = { hash: "answer-hash", size: 40 }
const unavailable = { ...Story.end(Story.failures.unavailable, 1, 2_500), answer }

type Ended = Extract<Event, { readonly _tag: "AttemptSucceeded" | "AttemptFailed" }>

const isEnded = (event: Event): event is Ended =>
  event._tag === "AttemptSucceeded" || event._tag === "AttemptFailed"

const keeping = (event: Event, attempt: number): Event =>
  isEnded(event) ? { ...event, payloads: { [`answer-${attempt}`]: answer } } : event

const started = [Story.scheduled, Story.started(1, 2_000)]
const refused = keeping(Story.failed(1, 2_500, 7_500), 1)
const kept = { attempt: 1, name: "answer-1", ref: answer }

const answers = Story.ofDelivery((delivery) => delivery.answers)

describe("An answer", () => {
  it("is kept with a failed and with a successful attempt, under the attempt's number", () => {
    given(aggregate, started)
      .when(unavailable)
      .expectEvents(refused)
      .expectView(answers, [kept])
      .when(Story.start(7_500))
      .when({ ...Story.end(Story.accepted, 2, 8_000), answer })
      .expectEvents(keeping(Story.succeeded(2, 8_000), 2))
      .expectView(answers, [kept, { ...kept, attempt: 2, name: "answer-2" }])
  })

  it("is erased with the body", () => {
    given(aggregate, [...started, refused])
      .when(Story.erase(3_000))
      .expectEvents(
        { _tag: "PayloadsErased", at: 3_000, erased: ["body", "answer-1"] },
        Story.givenUp(3_000, "erased")
      )
  })

  it("is not kept after an erasure", () => {
    given(aggregate, started)
      .when(Story.erase(2_200))
      .when({ ...Story.end(Story.accepted, 1, 2_500), answer })
      .expectEvents(Story.succeeded(1, 2_500))
      .expectView(answers, [])
  })

  it("is not kept beside a thousand others", () => {
    const one = (attempt: number): ReadonlyArray<Event> => [
      Story.replayed(10_000),
      Story.started(attempt, 10_000),
      keeping(Story.succeeded(attempt, 10_000), attempt)
    ]
    const many = Array.from({ length: 1_000 }, (_, index) => one(index + 1)).flat()
    given(aggregate, [Story.scheduled, ...many])
      .when(Story.replay(20_000))
      .when(Story.start(20_000))
      .when({ ...Story.end(Story.accepted, 1_001, 20_010), answer })
      .expectEvents(Story.succeeded(1_001, 20_010))
  })
})
