/** `POST …/files`: stores the file of a form. */
import { Clock, Effect } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import { TooManyUploads } from "#src/features/media/storage/Reception.ts"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as FileView from "./FileView.ts"
import * as FormFile from "./FormFile.ts"

const form = {
  type: "object",
  required: ["content"],
  properties: {
    content: { type: "string", format: "binary", description: "The file, of at most 100 MiB." },
    metadata: { type: "object", maxProperties: 0, description: "Must be empty: none is kept." }
  }
}

/** Handlers read forms themselves, so the form is described by hand. */
const withForm = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  requestBody: { required: true, content: { "multipart/form-data": { schema: form } } }
})

const endpoint = HttpApiEndpoint.post("createReplicateFile", `${Paths.root}/files`, {
  success: FileView.Body.pipe(HttpApiSchema.status(201)),
  error: [
    ...ReplicateErrors.ofKeys,
    ...ReplicateErrors.ofBodies,
    ReplicateErrors.gone,
    ReplicateErrors.storageFull
  ]
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Upload a file")
  .annotate(OpenApi.Description, "Its `urls.get` is an input for models.")
  .annotate(OpenApi.Transform, withForm)

/** Forms received at the same time: each takes as much disk as its file. */
const mostForms = { total: 16, perKey: 4, patience: "30 seconds" } as const
const retryAfterSeconds = 5

/** What clients say of bytes whose type they do not know. */
const saysNothing = "application/octet-stream"

export const createFile = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const uploads = yield* DirectUploads
    const formFile = yield* FormFile.make
    const permits = KeyedPermits.make(mostForms)

    const receive = Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>, caller: Caller) {
      yield* uploads.requireRoom(caller)
      const { body, contentType, fileName, head, size } = yield* formFile(request)
      const isKnown = contentType !== "" && contentType.toLowerCase() !== saysNothing
      const stored = yield* uploads.store({
        caller,
        fileName,
        contentType: isKnown ? contentType : ContentTypes.of(fileName, head),
        size,
        body
      })
      const createdAt = yield* Clock.currentTimeMillis
      return Answer.json(
        201,
        FileView.record({ ...stored, id: stored.fileId, url: stored.fileUrl, createdAt })
      )
    }, Effect.scoped)

    return (call: Route.Call<typeof endpoint>, caller: Caller) =>
      permits.withPermit(
        caller.accountId,
        receive(call, caller),
        Effect.fail(new TooManyUploads({ retryAfterSeconds }))
      )
  })
)
