/** What both ways of uploading a file have in common. */
import type { Effect } from "effect"
import type { LocalFile } from "./LocalFile.ts"
import type { Refused } from "#src/cli/platform/Refusal.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import type { TransferProgress } from "./TransferProgress.ts"

export interface Uploading {
  readonly file: LocalFile
  /** What the file is called on the server. */
  readonly fileName: string
  readonly contentType: string
  readonly progress: TransferProgress
}

export const announced = ({ contentType, file, fileName }: Uploading) => ({
  fileName,
  contentType,
  size: file.size
})

/** Tells why it is waited. */
export const sayWhy =
  ({ progress }: Pick<Uploading, "progress">) =>
  (waiting: Retrying.Waiting): Effect.Effect<void> =>
    progress.say(Retrying.describe(waiting))

/** All bytes are there: of an upload of ours nobody else has brought them. */
export const isCompleted = (error: { readonly _tag: string }): boolean =>
  isRefused(error) && error.status === 409 && error.code === "UPLOAD_COMPLETED"

const isRefused = (error: { readonly _tag: string }): error is Refused => error._tag === "Refused"
