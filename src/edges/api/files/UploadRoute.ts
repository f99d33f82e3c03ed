/** What the routes of uploads have in common (contract, "Uploads"). */
import { Effect } from "effect"
import type { FileNotFound } from "#src/features/media/storage/FileErrors.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

export const errors = [...CommonResponses.usual, CommonResponses.storageFull] as const

export const errorsOfOneUpload = [
  ...errors,
  CommonResponses.notFound,
  CommonResponses.conflict,
  CommonResponses.gone
] as const

/** Characters of an id. Ids are ours or a store's; longer ones name no upload. */
export const longestId = 2048

const idForm = { minLength: 1, maxLength: longestId }

/** The query that names an upload. */
export const query = {
  uploadKey: ListParameters.required("The `uploadKey` that the upload began with.", idForm),
  uploadId: ListParameters.required("The `uploadId` that the upload began with.", idForm)
}

/** Reports an unknown file as an unknown upload. */
export const asUpload = <A, E, R>(effect: Effect.Effect<A, E | FileNotFound, R>) =>
  Effect.catchTag(effect, "FileNotFound", () => Effect.fail(ErrorAnswer.unknownUpload))
