/** An upload in one PUT (contract, "Single-part flow"), and its shared parts with multipart uploads. */
import { Effect } from "effect"
import type { LocalFile } from "./LocalFile.ts"
import { Refused } from "#src/cli/platform/CallErrors.ts"
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

export const newFile = ({ contentType, file, fileName }: Uploading) => ({
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
  error instanceof Refused && error.status === 409 && error.code === "UPLOAD_COMPLETED"

/** Returns the file's URL. If the response to a PUT was lost, the PUT is repeated, and the server reports a completed upload. */
export const uploadSingle = Effect.fnUntraced(function* (uploading: Uploading) {
  const { contentType, file, progress } = uploading
  const initiate = Retrying.onceReached(Wire.initiate(newFile(uploading)), sayWhy(uploading))
  let target = yield* initiate
  const range = { start: 0, length: file.size }
  const put = Effect.suspend(() =>
    Put.put({ url: target.upload_url, file, range, contentType, progress })
  ).pipe(
    Effect.tapError((error) =>
      error._tag === "Refused" && error.isExpired
        ? Effect.map(initiate, (fresh) => (target = fresh))
        : Effect.void
    )
  )
  yield* Effect.catchIf(Retrying.patiently(put, sayWhy(uploading)), isCompleted, () => Effect.void)
  return target.file_url
})
