/**
 * Writes a restored log, which was verified in a data directory, to NATS servers. Their log must be empty, or be what an
 * interrupted restore left: a mark at the servers says so, and keeps nodes from starting meanwhile.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import type { LogTarget } from "#streams/copy/LogTarget.ts"
import { EventStoreError, type Reading } from "#streams/EventReader.ts"
import * as JetStreamTarget from "#streams/nats/JetStreamTarget.ts"
import { Nats } from "#streams/nats/Nats.ts"
import { names, type NatsOptions } from "#streams/nats/NatsOptions.ts"
import { ClusterFacts } from "#src/platform/cluster/ClusterFacts.ts"
import * as RestoreMark from "#src/platform/cluster/RestoreMark.ts"
import { LogNotEmpty } from "../BackupError.ts"

interface NatsRestoreOptions {
  readonly nats: NatsOptions
  /** The log to write. */
  readonly log: Reading
  /** Whether its positions are those of a log on NATS, which stay the same. */
  readonly keepsPositions: boolean
  readonly blobs: BlobStore["Service"]
}

/** An equal log needs no append: the restore that wrote it was interrupted at its end. */
const refusing = (target: LogTarget): LogTarget => ({
  ...target,
  append: () => Effect.fail(new EventStoreError({ reason: "The log at the servers is not empty" }))
})

/** Returns what was verified at the servers, and removes the mark when its effect `end` is run. */
export const write = Effect.fn("NatsRestore.write")(function* ({
  blobs,
  keepsPositions,
  log,
  nats
}: NatsRestoreOptions) {
  const scope: Scope.Scope = yield* Effect.scope
  const servers = yield* Layer.buildWithScope(Nats.layer(nats), scope)
  return yield* Effect.gen(function* () {
    const target = yield* JetStreamTarget.make({ keepsPositions })
    const facts = yield* Layer.build(ClusterFacts.layer)
    const isContinued = yield* Effect.provide(RestoreMark.isSet, facts)
    const isRefused = !target.isEmpty && !isContinued
    if (!isRefused) {
      yield* Effect.provide(RestoreMark.set, facts)
      yield* Effect.provide(ClusterFacts.raiseRelease, facts)
    }
    const copied = yield* LogCopy.copy({ source: log, target: isRefused ? refusing(target) : target }).pipe(
      Effect.mapError((error) =>
        isRefused ? new LogNotEmpty({ stream: names(nats).events.stream, cause: error }) : error
      )
    )
    const verified = yield* LogCopy.prove({ target, copied }).pipe(
      Effect.provide(Context.make(BlobStore, blobs))
    )
    return { verified, end: Effect.provide(RestoreMark.clear, facts) }
  }).pipe(Effect.provide(servers))
})
