/** Every phase of a delivery, as the events that lead there. */
import type { Event } from "#domain/webhook-delivery/Event.ts"
import * as Story from "./Story.ts"

const notScheduled: ReadonlyArray<Event> = []
const pending: ReadonlyArray<Event> = [Story.scheduled]
const delivering: ReadonlyArray<Event> = [...pending, Story.started(1, 2_000)]
const waiting: ReadonlyArray<Event> = [...delivering, Story.failed(1, 6_000, 11_000)]
const delivered: ReadonlyArray<Event> = [...delivering, Story.succeeded(1, 3_000)]
const gone: ReadonlyArray<Event> = [
  ...delivering,
  Story.failed(1, 3_000, null, Story.failures.gone),
  Story.givenUp(3_000, "gone")
]
const erasedWhileDelivering: ReadonlyArray<Event> = [...delivering, Story.erased(2_500)]

/** After ten attempts. */
export const exhaustedAt = Story.dueAfterAll(9, 2_000)
export const exhausted: ReadonlyArray<Event> = [
  ...pending,
  ...Story.failedAttempts(9, 2_000),
  Story.started(10, exhaustedAt),
  Story.failed(10, exhaustedAt, null),
  Story.givenUp(exhaustedAt, "exhausted")
]

/** An attempt is due now or later. */
const open = {
  pending,
  "waiting to retry": waiting,
  "replayed after success": [...delivered, Story.replayed(4_000)],
  "replayed after failure": [...gone, Story.replayed(4_000)],
  "recovered after failure": [...gone, Story.recovered(4_000)]
} satisfies Record<string, ReadonlyArray<Event>>

/** Attempt 1 is in progress; in the last phase attempt 2. */
const underWay = {
  delivering,
  "delivering, erased": erasedWhileDelivering,
  "delivering again": [...delivered, Story.replayed(4_000), Story.started(2, 4_000)]
} satisfies Record<string, ReadonlyArray<Event>>

export const over = {
  delivered,
  gone,
  exhausted,
  "at a private address": [
    ...delivering,
    Story.failed(1, 3_000, null, Story.failures.privateAddress),
    Story.givenUp(3_000, "private_address")
  ],
  "recovered, and failed again": [
    ...gone,
    Story.recovered(4_000),
    Story.started(2, 4_000),
    Story.failed(2, 5_000, null, Story.failures.gone),
    Story.givenUp(5_000, "gone")
  ]
} satisfies Record<string, ReadonlyArray<Event>>

export const erased = {
  "erased while pending": [...pending, Story.erased(2_000), Story.givenUp(2_000, "erased")],
  "erased while waiting": [...waiting, Story.erased(7_000), Story.givenUp(7_000, "erased")],
  "erased while delivering, delivered": [...erasedWhileDelivering, Story.succeeded(1, 3_000)],
  "erased while delivering, failed": [
    ...erasedWhileDelivering,
    Story.failed(1, 3_000, null),
    Story.givenUp(3_000, "erased")
  ],
  "delivered, then erased": [...delivered, Story.erased(4_000)],
  "failed, then erased": [...gone, Story.erased(4_000)]
} satisfies Record<string, ReadonlyArray<Event>>

export const all = { "not scheduled": notScheduled, ...open, ...underWay, ...over, ...erased }
export type Phase = keyof typeof all
