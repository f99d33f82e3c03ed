/** Random lives of a file: any sequence of commands, however late, wrong or repeated. */
import { Result } from "effect"
import * as fc from "fast-check"
import type { Command } from "#domain/file/Command.ts"
import { DeletionReason, type Event, type Stored } from "#domain/file/Event.ts"
import { aggregate } from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import * as Story from "./Story.ts"

const { codec, decider } = aggregate

/** A command without its time. */
interface Step {
  readonly name: Command["_tag"]
  /** Time since the previous step, ms. */
  readonly after: number
  readonly bytes: Stored
  readonly size: number | null
  readonly isInParts: boolean
  readonly kind: "output" | "thumbnail"
  readonly reason: typeof DeletionReason.Type
}

export type Life = ReadonlyArray<Step>

/** How long an upload is awaited and a file kept, ms. */
const uploadLifetime = 1_000
const lifetime = 5_000

/** `names` repeated by frequency. */
const stepOf = (...names: ReadonlyArray<Command["_tag"]>): fc.Arbitrary<Step> =>
  fc.record({
    name: fc.constantFrom(...names),
    after: fc.constantFrom(0, 1, 10, 500, 999, 1_000, 4_999, 5_000),
    bytes: fc.constantFrom(...Object.values(Story.bytes)),
    size: fc.constantFrom(null, 0, 12, 5_000),
    isInParts: fc.boolean(),
    kind: fc.constantFrom("output", "thumbnail"),
    reason: fc.constantFrom(...DeletionReason.literals)
  })

const receiving = ["CompleteUpload", "ObserveUpload", "ObserveUpload", "StoreOutput"] as const
const ending = ["Delete", "Expire", "Expire", "RecordRemoved"] as const
const any = ["InitiateUpload", ...receiving, ...ending] as const

/** Starts with an upload, with an output, or anywhere. */
const life: fc.Arbitrary<Life> = fc
  .tuple(
    stepOf("InitiateUpload", "InitiateUpload", "StoreOutput", ...any),
    fc.array(stepOf(...receiving, ...receiving, ...any), { maxLength: 6 }),
    fc.array(stepOf(...any, ...ending), { maxLength: 12 })
  )
  .map(([first, early, late]) => [first, ...early, ...late])

const toCommand = (step: Step, at: number): Command => {
  const { bytes, isInParts, kind, name, reason, size } = step
  const expiresAt = at + lifetime
  switch (name) {
    case "InitiateUpload": {
      const upload = isInParts ? Story.uploadInParts : Story.upload
      return { _tag: name, upload: { ...upload, at, size, expiresAt: at + uploadLifetime } }
    }
    case "CompleteUpload":
    case "ObserveUpload":
      return { _tag: name, at, stored: bytes, expiresAt }
    case "StoreOutput":
      return { _tag: name, output: { ...Story.output, at, kind, stored: bytes, expiresAt } }
    case "Delete":
      return { _tag: name, at, reason }
    case "Expire":
    case "RecordRemoved":
      return { _tag: name, at }
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
  let at = Story.upload.at
  let state: State = decider.initial
  const log: Array<Event> = []
  for (const step of life) {
    at += step.after
    const before = state
    const command = toCommand(step, at)
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
