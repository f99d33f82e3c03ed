/** Random lives of a delivery: any sequence of commands, however late, wrong or repeated. */
import { Result } from "effect"
import * as fc from "fast-check"
import type { AttemptResult, Command } from "#domain/webhook-delivery/Command.ts"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import type { State } from "#domain/webhook-delivery/State.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import * as Story from "./Story.ts"

const { codec, decider } = aggregate

/** A command without the fields that depend on the delivery's past. */
interface Step {
  readonly name: Command["_tag"]
  /** Time since the previous step, ms. */
  readonly after: number
  /** The attempt that it concerns: 0 is the newest, -1 the one before, 1 an attempt that never existed. */
  readonly attempt: number
  readonly node: string
  readonly result: AttemptResult
  readonly recoveryId: string
}

export type Life = ReadonlyArray<Step>

const minute = 60_000
const hour = 60 * minute

const failure = fc.constantFrom<AttemptResult>(
  Story.failures.unavailable,
  Story.failures.silent,
  Story.failures.moved,
  Story.failures.unresolved
)
const result = fc.oneof(
  { arbitrary: failure, weight: 2 },
  {
    arbitrary: fc.constantFrom(Story.accepted, Story.failures.gone, Story.failures.privateAddress),
    weight: 1
  }
)

/** `names` repeated by frequency; `waits` in ms. */
const stepOf = (
  names: ReadonlyArray<Command["_tag"]>,
  waits: ReadonlyArray<number>,
  results = result
): fc.Arbitrary<Step> =>
  fc.record({
    name: fc.constantFrom(...names),
    after: fc.constantFrom(...waits),
    attempt: fc.constantFrom(0, 0, 0, 0, -1, 1),
    node: fc.constantFrom("node-1", "node-1", "node-1", "node-2"),
    result: results,
    recoveryId: fc.constantFrom("recovery-1", "recovery-2", "recovery-3")
  })

const attempts = ["StartAttempt", "StartAttempt", "RecordAttempt", "RecordAttempt", "LoseAttempt"] as const

/** All commands in any order. */
const lively = stepOf(
  [...attempts, ...attempts, "Schedule", "Replay", "Recover", "Recover", "Abandon", "Erase"],
  [0, 1, 4_999, 5_000, minute, hour]
)
/** A receiver that never accepts, until after the last attempt. */
const refused = stepOf([...attempts, ...attempts, ...attempts, "Recover", "Replay"], [minute, hour], failure)
/** The same without replays. */
const neglected = stepOf([...attempts, "Schedule"], [hour], failure)

const life: fc.Arbitrary<Life> = fc.oneof(
  ...[lively, refused, neglected].map((step) => fc.array(step, { maxLength: 80, size: "max" }))
)

/** A body that must not replace the first. */
const other = { hash: "other-hash", size: 99 }

const toCommand = (step: Step, at: number, state: State): Command => {
  const { name, node, recoveryId, result } = step
  const attempt = (state._tag === "Delivery" ? state.attempts : 0) + step.attempt
  switch (name) {
    case "Schedule":
      return { _tag: name, delivery: { ...Story.delivery, at, payloads: { body: other } }, node }
    case "StartAttempt":
      return Story.start(at, node)
    case "RecordAttempt":
      return Story.end(result, attempt, at)
    case "LoseAttempt":
      return Story.lose(attempt, at, node)
    case "Replay":
    case "Abandon":
    case "Erase":
      return { _tag: name, at }
    case "Recover":
      return Story.recover(at, recoveryId)
  }
}

export const decide = (command: Command, state: State): ReadonlyArray<Event> =>
  Result.getOrElse(decider.decide(command, state), () => [])

export interface Moment {
  readonly command: Command
  readonly before: State
  readonly events: ReadonlyArray<Event>
  readonly after: State
}

/** Executes the commands one by one and passes each result to `each`. */
export const play = (life: Life, each: (moment: Moment) => void = () => {}) => {
  let at = Story.delivery.at
  let state: State = replay(decider, [Story.scheduled])
  const log: Array<Event> = [Story.scheduled]
  for (const step of life) {
    at += step.after
    const before = state
    const command = toCommand(step, at, before)
    const events = decide(command, before).map(stored(codec))
    state = replay(decider, events, before)
    each({ command, before, events, after: state })
    log.push(...events)
  }
  return { log, state }
}

/** Expects that `property` holds for every life. A failure prints the seed and the shortest life. */
export const holds = (property: (life: Life) => void) =>
  fc.assert(fc.property(life, property), { numRuns: 2_000 })

/** Returns the same lives each time. */
export const someLives = () => fc.sample(life, { numRuns: 1_000, seed: 7 })

export const ofType = <Tag extends Event["_tag"]>(
  log: ReadonlyArray<Event>,
  ...tags: ReadonlyArray<Tag>
): ReadonlyArray<Extract<Event, { readonly _tag: Tag }>> =>
  log.filter((event): event is Extract<Event, { readonly _tag: Tag }> =>
    (tags as ReadonlyArray<string>).includes(event._tag)
  )

/** The events of each schedule, the first or of a replay, up to the next. */
export const schedules = (log: ReadonlyArray<Event>): ReadonlyArray<ReadonlyArray<Event>> => {
  const parts: Array<Array<Event>> = []
  for (const event of log) {
    if (event._tag === "DeliveryScheduled" || event._tag === "ReplayRequested") parts.push([])
    parts.at(-1)?.push(event)
  }
  return parts
}
