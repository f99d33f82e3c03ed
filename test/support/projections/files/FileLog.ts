/** Writes files to the log with the domain's decisions, for tests of their read model. */
import { Effect, Result } from "effect"
import type { Command } from "#domain/file/Command.ts"
import type { DeletionReason, Event, Stored } from "#domain/file/Event.ts"
import { aggregate } from "#domain/file/File.ts"
import { FileId } from "#domain/Ids.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Story from "#test/support/domain/file/Story.ts"
import { replay } from "#test/support/Replay.ts"
import { alice, requestId, t0 } from "#test/support/projections/RequestLog.ts"

/** Ids in the order of their numbers. */
export const fileId = (number: number): FileId => FileId.make(String(number).padStart(24, "0"))

const numberOf = ({ fileId }: { readonly fileId: string }) => Number(fileId)
export const numbersOf = (found: ReadonlyArray<{ readonly fileId: string }>) => found.map(numberOf)

/** The default expiry times of uploads and of files. */
export const awaitedUntil = t0 + 1_000
export const keptUntil = t0 + 5_000

export const initiate = (upload: Partial<typeof Story.upload> = {}): Command =>
  Story.initiate({ ...Story.upload, accountId: alice, at: t0, expiresAt: awaitedUntil, ...upload })

export const stored = (size: number, sha256: string | null = `sha-${size}`): Stored => ({
  size,
  etag: `etag-${size}`,
  sha256
})

export const complete = (size: number, at = t0, expiresAt = keptUntil): Command => ({
  _tag: "CompleteUpload",
  at,
  stored: stored(size),
  expiresAt
})

export const observe = (size: number, at = t0): Command => ({
  _tag: "ObserveUpload",
  at,
  stored: stored(size, null),
  expiresAt: keptUntil
})

/** Of request 1. */
export const keep = (output: Partial<typeof Story.output> = {}): Command =>
  Story.store({
    ...Story.output,
    accountId: alice,
    requestId: requestId(1),
    at: t0,
    expiresAt: keptUntil,
    ...output
  })

export const remove = (reason?: typeof DeletionReason.Type): Command => Story.remove(t0 + 10, reason)

let written = 0

const append = Effect.fnUntraced(function* (stream: StreamName.StreamName, events: ReadonlyArray<Event>) {
  const store = yield* EventStore
  const [first, ...others] = events.map((event) => ({
    id: `file-event-${written++}`,
    ...aggregate.codec.encode(event)
  }))
  if (first === undefined) return
  yield* store.append({ stream, expected: ExpectedVersion.Any, events: [first, ...others] })
})

const streamOf = (number: number) => StreamName.make(aggregate.category, fileId(number))

/** Appends to the stream of file `number` at any version. */
export const write = (number: number, ...events: ReadonlyArray<Event>) => append(streamOf(number), events)

/** Executes the command on file `number` and appends the events. Dies on a rejection. */
export const perform = Effect.fnUntraced(function* (number: number, ...commands: ReadonlyArray<Command>) {
  const { codec, decider } = aggregate
  const events = yield* (yield* EventReader).read(streamOf(number))
  let state = replay(decider, events.map(codec.decode))
  for (const command of commands) {
    const decided = Result.getOrThrow(decider.decide(command, state))
    state = replay(decider, decided, state)
    yield* write(number, ...decided)
  }
})
