/** Expires files, finishes interrupted removals, and finds direct uploads. Works from the log; may end anywhere. */
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

/** How long a pass waits for its read model, which may be rebuilding. */
const patience = "1 minute"

/** How far back a starting node looks for files that arrived without it. */
const lookedBackFor = Duration.days(1)

/** Length of one step back in time, ms; bounds the cost of a page. */
const sliceMs = Duration.toMillis(Duration.minutes(10))

export interface Done {
  readonly done: number
  /** Files left for the next pass. */
  readonly failed: number
}

/** Counts results, and logs only the first failure. */
const begin = () => {
  let done = 0
  let failed = 0

  /** @param work returns whether it did something. */
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
      // If the store does not answer, the rest waits for the next pass.
      if (ids.length < Pace.pageSize || failed - failedBefore === ids.length) return
    }
  })

  return { each, done: (): Done => ({ done, failed }) }
}

export class FileSweep extends Context.Service<
  FileSweep,
  {
    /** One pass. A failure with one file is logged and does not stop the others. */
    readonly pass: Effect.Effect<Done, SqlError | EventStoreError>
    /** Removes all files of an erased account. A later pass removes what a client still sends to S3. */
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
          // Once, after their URLs have expired; before that a reader looks for the file itself.
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

      /** Remains of an earlier removal. */
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
