/** An upload in one PUT (contract, "Single-part flow"), and its shared parts with multipart uploads. */
import { Effect, Ref } from "effect"
import type { LocalFile } from "./LocalFile.ts"
import type { Refused } from "#src/cli/platform/Refusal.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import * as Put from "./Put.ts"
import type { TransferProgress } from "./TransferProgress.ts"
import * as Wire from "./Wire.ts"

export interface Uploading {
  readonly file: LocalFile
  /** Name of the file on the server. */
  readonly fileName: string
  readonly contentType: string
  readonly progress: TransferProgress
}

export const announced = ({ contentType, file, fileName }: Uploading) => ({
  fileName,
  contentType,
  size: file.size
})

/** Reports the reason of a pause. */
export const sayWhy =
  ({ progress }: Pick<Uploading, "progress">) =>
  (waiting: Retrying.Waiting): Effect.Effect<void> =>
    progress.say(Retrying.describe(waiting))

/** The server already has all bytes, from a previous try of this upload. */
export const isCompleted = (error: { readonly _tag: string }): boolean =>
  isRefused(error) && error.status === 409 && error.code === "UPLOAD_COMPLETED"

const isRefused = (error: { readonly _tag: string }): error is Refused => error._tag === "Refused"

/** Returns the file's URL. A PUT whose response was lost is repeated; the server then reports a completed upload. */
export const uploadSingle = Effect.fnUntraced(function* (uploading: Uploading) {
  const { contentType, file, progress } = uploading
  const initiate = Retrying.onceReached(Wire.initiate(announced(uploading)), sayWhy(uploading))
  const target = yield* Ref.make(yield* initiate)
  const range = { start: 0, length: file.size }
  const put = Ref.get(target).pipe(
    Effect.flatMap(({ upload_url: url }) => Put.put({ url, file, range, contentType, progress })),
    Effect.tapError((error) =>
      error._tag === "Refused" && error.isExpired
        ? Effect.flatMap(initiate, (fresh) => Ref.set(target, fresh))
        : Effect.void
    )
  )
  yield* Effect.catchIf(Retrying.patiently(put, sayWhy(uploading)), isCompleted, () => Effect.void)
  return (yield* Ref.get(target)).file_url
})
