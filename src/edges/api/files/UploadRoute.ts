/** What the routes of uploads have in common (contract, "Uploads"). */
import { Effect, type JsonSchema, Schema } from "effect"
import type { FileNotFound } from "#src/features/media/storage/FileErrors.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type * as ListParameters from "#src/edges/http/api/ListParameters.ts"
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

/** The query that names an upload. */
export const query = {
  uploadKey: Schema.String.annotate({ description: "The `uploadKey` that the upload began with." }),
  uploadId: Schema.String.annotate({ description: "The `uploadId` that the upload began with." })
}

const idForm: JsonSchema.JsonSchema = { minLength: 1, maxLength: longestId }

export const forms: ListParameters.Forms = { uploadKey: idForm, uploadId: idForm }

/** Reports an unknown file as an unknown upload. */
export const asUpload = <A, E, R>(effect: Effect.Effect<A, E | FileNotFound, R>) =>
  Effect.catchTag(effect, "FileNotFound", () => Effect.fail(ErrorAnswer.unknownUpload))
