/**
 * Does what is due about files: those whose time is over expire, what is left of a removal that was cut short goes, and what
 * clients have brought to the store without us is found. All of it is known from the log, so that a pass may end anywhere.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, FileId } from "#domain/Ids.ts"
import { Files, type Page } from "#projections/files/Files.ts"
import { Projections } from "#projections/Projections.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { putWindow } from "#src/features/media/storage/FileLimits.ts"
import { UploadStore } from "#src/features/media/storage/UploadStore.ts"

/** How long a pass waits for its read model, which may be built from the beginning of the log just now. */
const patience = "1 minute"

/** A node that starts looks for what came while there was none, or another one, as far back as that. */
const lookedBackFor = Duration.days(1)

/** Of the time looked back, ms: a page costs as much as there is in one. */
const sliceMs = Duration.toMillis(Duration.minutes(10))

export interface Done {
  readonly done: number
  /** Files that are left for the next pass. */
  readonly failed: number
}

/** Counts what is done. The first failure is logged: a store that is away is told once. */
const begin = () => {
  let done = 0
  let failed = 0

  /** @param work gives whether it did something. */
  const each = Effect.fnUntraced(function* (
    pageAfter: (page: Page) => Effect.Effect<ReadonlyArray<FileId>, SqlError>,
    work: (id: FileId) => Effect.Effect<boolean, EventStoreError | BlobStoreError>
  ) {
    const attempt = (id: FileId) =>
      Effect.matchCauseEffect(work(id), {
        onSuccess: (didIt) => Effect.sync(() => void (done += didIt ? 1 : 0)),
        onFailure: (cause) =>
          failed++ === 0 ? Effect.logWarning("A file could not be swept", cause) : Effect.void
      })
    let after: FileId | null = null
    while (true) {
      const ids: ReadonlyArray<FileId> = yield* pageAfter({ after, limit: Pace.pageSize })
      const failedBefore = failed
      yield* Pace.paced(Effect.forEach(ids, attempt, { concurrency: Pace.concurrency, discard: true }))
      after = ids.at(-1) ?? null
      // A store that does not answer is asked again in the next pass, and not for each of a million files.
      if (ids.length < Pace.pageSize || failed - failedBefore === ids.length) return
    }
  })

  return { each, done: (): Done => ({ done, failed }) }
}

export class FileSweep extends Context.Service<
  FileSweep,
  {
    /** One pass. What fails for one file is logged, and leaves the others alone. */
    readonly pass: Effect.Effect<Done, SqlError | EventStoreError>
    /** Removes every file of an account that was erased. What a client may still put at S3 goes with a later pass. */
    removeAll(accountId: AccountId): Effect.Effect<Done, SqlError | EventStoreError>
  }
>()("inferlog/src/features/files/FileSweep") {
  static readonly layer = Layer.effect(
    FileSweep,
    Effect.gen(function* () {
      const actors = yield* FileActors
      const files = yield* Files
      const media = yield* MediaStore
      const projections = yield* Projections
      const reader = yield* EventReader
      const { isDirect } = yield* UploadStore

      const catchUp = Effect.flatMap(reader.head, (head) =>
        projections.waitFor(head, { projection: "files", timeout: patience })
      )

      let lookedUpTo = (yield* Clock.currentTimeMillis) - Duration.toMillis(lookedBackFor)

      const pass = Effect.gen(function* () {
        yield* catchUp
        const now = yield* Clock.currentTimeMillis
        const { done, each } = begin()
        yield* each(files.removals, media.sweep)
        yield* each((page) => files.expired({ ...page, now }), media.sweep)
        if (isDirect) {
          // Once when their URLs are no good any more: until then whoever asks for one looks, and nobody else has to know.
          const announcedBy = now - Duration.toMillis(putWindow)
          const look = (id: FileId) => Effect.as(media.sweep(id), false)
          const { failed } = done()
          while (lookedUpTo < announcedBy && done().failed === failed) {
            const announcedAfter = lookedUpTo
            const upTo = Math.min(announcedAfter + sliceMs, announcedBy)
            yield* each((page) => files.singles({ ...page, announcedAfter, announcedBy: upTo }), look)
            if (done().failed === failed) lookedUpTo = upTo
          }
        }
        return done()
      }).pipe(Effect.withSpan("FileSweep.pass"))

      /** What a removal before has left of a file of the account. */
      const removeRest = (accountId: AccountId) =>
        Effect.fnUntraced(function* (id: FileId) {
          const { state } = yield* actors.current(id)
          const isLeft = state._tag === "Gone" && !state.isRemoved && state.accountId === accountId
          return isLeft && (yield* media.sweep(id))
        })

      const removeAll: FileSweep["Service"]["removeAll"] = Effect.fn("FileSweep.removeAll")(
        function* (accountId) {
          yield* catchUp
          const { done, each } = begin()
          yield* each(files.removals, removeRest(accountId))
          yield* each(
            (page) => files.ofAccount({ ...page, accountId }),
            (id) => Effect.as(media.remove(id, "account_erased"), true)
          )
          return done()
        }
      )

      return FileSweep.of({ pass, removeAll })
    })
  )
}
