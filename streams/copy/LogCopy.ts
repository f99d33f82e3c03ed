/**
 * Copies a log into another one, event by event, so that both verify alike: ids, times, places in the streams, hashes and
 * payload records are the source's, positions and versions the target's own.
 *
 * What the target has is compared with the source first, so that a copy that was interrupted anywhere is gone on with by
 * running it again, and what the source has gained since is added.
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

/** Everything was written, and the target is not what the source is. */
export class CopyDamaged extends Schema.TaggedError<CopyDamaged>()("CopyDamaged", { reason: Schema.String }) {
  override get message(): string {
    return `The copy was written, and is not whole: ${this.reason}`
  }
}

export interface CopyOptions {
  readonly source: Reading
  readonly target: LogTarget
  /** What is known of the source. */
  readonly anchors?: ReadonlyArray<Anchor>
  /** Called now and then with the position that was reached on the source. */
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
  /** Events that the target had not. */
  readonly copied: number
}

/**
 * Until the source's head is reached; one that grows meanwhile is followed. The source is verified on the way, but for
 * what lies in the blob store.
 */
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
    const missing = events.slice(yield* prefix.passed(events))
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
  /** Called now and then with the number of events verified so far. */
  readonly onProgress?: (events: number) => Effect.Effect<void>
}

/** Reads the target from its beginning, payloads included, and holds it against the source's digest. */
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
  const wanted = `the source ${copied.events} with ${copied.digest}`
  return yield* new CopyDamaged({ reason: `${found}, ${wanted}. Another process may have written to it` })
})
