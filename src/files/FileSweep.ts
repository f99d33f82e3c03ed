/**
 * Does what is due about files: those whose time is over expire, what is left of a removal that was cut short goes, and what
 * clients have brought to the store without us is found. All of it is known from the log, so that a pass may end anywhere.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, FileId } from "#domain/Ids.ts"
import { Files, type Page } from "#projections/files/Files.ts"
import { Projections } from "#projections/Projections.ts"
import { MediaStore } from "#src/media/MediaStore.ts"
import * as Pace from "#src/retention/Pace.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { urlLifetime } from "./FileLimits.ts"
import { UploadStore } from "./UploadStore.ts"

/** How long a pass waits for its read model, which may be built from the beginning of the log just now. */
const patience = "1 minute"

/** How long after its announcement a file is looked for that clients bring without us. Then it is found when somebody asks for it. */
const lookedAfterFor = Duration.sum(urlLifetime, Duration.hours(1))

export interface Done {
  readonly done: number
  /** Files that are left for the next pass. */
  readonly failed: number
}

export class FileSweep extends Context.Service<
  FileSweep,
  {
    /** One pass. What fails for one file is logged, and leaves the others alone. */
    readonly pass: Effect.Effect<Done, SqlError | EventStoreError>
    /** Removes every file of an account that was erased. */
    removeAll(accountId: AccountId): Effect.Effect<Done, SqlError | EventStoreError>
  }
>()("inferlog/src/files/FileSweep") {
  static readonly layer = Layer.effect(
    FileSweep,
    Effect.gen(function* () {
      const files = yield* Files
      const media = yield* MediaStore
      const projections = yield* Projections
      const reader = yield* EventReader
      const { isDirect } = yield* UploadStore

      const catchUp = Effect.flatMap(reader.head, (head) =>
        projections.waitFor(head, { projection: "files", timeout: patience })
      )

      /** Does it with every file of all pages. The first failure is logged: a store that is away is told once in a pass. */
      const each = Effect.fnUntraced(function* (
        pageAfter: (page: Page) => Effect.Effect<ReadonlyArray<FileId>, SqlError>,
        work: (id: FileId) => Effect.Effect<void, EventStoreError | BlobStoreError>
      ) {
        let done = 0
        let failed = 0
        const attempt = (id: FileId) =>
          Effect.matchCauseEffect(work(id), {
            onSuccess: () => Effect.sync(() => void done++),
            onFailure: (cause) =>
              failed++ === 0 ? Effect.logWarning("A file could not be swept", cause) : Effect.void
          })
        let after: FileId | null = null
        while (true) {
          const ids: ReadonlyArray<FileId> = yield* pageAfter({ after, limit: Pace.pageSize })
          yield* Pace.paced(Effect.forEach(ids, attempt, { concurrency: Pace.concurrency, discard: true }))
          after = ids.at(-1) ?? null
          if (ids.length < Pace.pageSize) return { done, failed } satisfies Done
        }
      })

      const sum = (all: ReadonlyArray<Done>): Done => ({
        done: all.reduce((total, { done }) => total + done, 0),
        failed: all.reduce((total, { failed }) => total + failed, 0)
      })

      const pass = Effect.gen(function* () {
        yield* catchUp
        const now = yield* Clock.currentTimeMillis
        const removed = yield* each(files.removals, media.sweep)
        const expired = yield* each((page) => files.expired({ ...page, now }), media.sweep)
        if (isDirect) {
          const createdAfter = now - Duration.toMillis(lookedAfterFor)
          yield* each((page) => files.awaited({ ...page, createdAfter }), media.sweep)
        }
        return sum([removed, expired])
      }).pipe(Effect.withSpan("FileSweep.pass"))

      const removeAll: FileSweep["Service"]["removeAll"] = Effect.fn("FileSweep.removeAll")(
        function* (accountId) {
          yield* catchUp
          return yield* each(
            (page) => files.ofAccount({ ...page, accountId }),
            (id) => media.remove(id, "account_erased")
          )
        }
      )

      return FileSweep.of({ pass, removeAll })
    })
  )
}
