/** Shared parts of single-part and multipart uploads. */
import type { Effect } from "effect"
import type { LocalFile } from "./LocalFile.ts"
import type { Refused } from "#src/cli/platform/Refusal.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import type { TransferProgress } from "./TransferProgress.ts"

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
