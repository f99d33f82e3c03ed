/**
 * Copies a log event by event, so that both verify equally: ids, times, ordinals, hashes and payload records are the
 * source's, positions and versions the target's own. Events that the target has are compared first, so an interrupted
 * or earlier copy is continued.
 */
import { Effect, Layer, Schema, type Scope, Stream } from "effect"
import type { BlobStore, BlobStoreError } from "../BlobStore.ts"
import { EventReader, type EventStoreError, type Reading } from "../EventReader.ts"
import type { WrongExpectedVersion } from "../EventStore.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { Payloads } from "../Payload.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import { type Anchor, type LogBroken, verify, type Verified } from "../Verify.ts"
import * as CopiedPayloads from "./CopiedPayloads.ts"
import type { LogTarget } from "./LogTarget.ts"
import * as SourceCheck from "./SourceCheck.ts"
import * as TargetPrefix from "./TargetPrefix.ts"

/** Everything was written, but the target differs from the source. */
export class CopyDamaged extends Schema.TaggedError<CopyDamaged>()("CopyDamaged", { reason: Schema.String }) {
  override get message(): string {
    return `The copy was written but is damaged: ${this.reason}`
  }
}

export interface CopyOptions {
  readonly source: Reading
  readonly target: LogTarget
  /** Anchors of the source. */
  readonly anchors?: ReadonlyArray<Anchor>
  /** Called at intervals with the position reached on the source. */
  readonly onProgress?: (position: GlobalPosition.GlobalPosition) => Effect.Effect<void>
}

export type CopyError =
  | LogBroken
  | TargetPrefix.NotACopy
  | CopyDamaged
  | EventStoreError
  | WrongExpectedVersion
  | BlobStoreError

export interface Copied extends SourceCheck.Reached {
  /** Events added to the target. */
  readonly copied: number
}

/** Copies until the head of the source, also when it grows meanwhile. Verifies the source on the way, except for blobs. */
export const copy = Effect.fn("LogCopy.copy")(function* ({
  anchors = [],
  onProgress = () => Effect.void,
  source,
  target
}: CopyOptions): Effect.fn.Return<Copied, CopyError, Scope.Scope> {
  const check = yield* Effect.provideService(SourceCheck.make(anchors), EventReader, source)
  const prefix = yield* TargetPrefix.open(target.reading)
  let copied = 0

  const pass = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>) {
    yield* check.pass(events)
    const missing = events.slice(yield* prefix.countStored(events))
    if (missing.length > 0) yield* target.append(yield* CopiedPayloads.read(source, missing))
    copied += missing.length
    yield* onProgress(check.reached().position)
  })

  const readOn = Effect.suspend(() =>
    Stream.runForEachArray(source.readAll(check.reached().position), pass)
  ).pipe(Effect.andThen(source.head))
  yield* Effect.repeat(readOn, {
    until: (head) => GlobalPosition.isReached(head, check.reached().position)
  })
  yield* prefix.atEnd
  yield* check.atEnd
  return { ...check.reached(), copied }
}, Effect.scoped)

export interface ProveOptions {
  readonly target: LogTarget
  readonly copied: SourceCheck.Reached
  /** Called at intervals with the number of verified events. */
  readonly onProgress?: (events: number) => Effect.Effect<void>
}

/** Verifies the whole target, including payloads, against the source's digest. */
export const prove = Effect.fn("LogCopy.prove")(function* ({
  copied,
  onProgress,
  target
}: ProveOptions): Effect.fn.Return<Verified, CopyDamaged | EventStoreError | BlobStoreError, BlobStore> {
  const verified = yield* verify({ ...(onProgress && { onProgress }) }).pipe(
    Effect.provide(Layer.provideMerge(Payloads.layer, Layer.succeed(EventReader, target.reading))),
    Effect.catchTag("LogBroken", ({ position, reason }) =>
      Effect.fail(new CopyDamaged({ reason: `at its position ${position}: ${reason}` }))
    )
  )
  if (verified.events === copied.events && verified.digest === copied.digest) return verified
  const found = `it has ${verified.events} events with the digest ${verified.digest}`
  const wanted = `the source has ${copied.events} with ${copied.digest}`
  return yield* new CopyDamaged({ reason: `${found}, but ${wanted}. Another process may have written to it` })
})
