/** A file in one PUT (contract, "Single-part flow"). */
import { Effect, Ref } from "effect"
import * as Put from "./Put.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import { announced, isCompleted, sayWhy, type Uploading } from "./Uploading.ts"
import * as Wire from "./Wire.ts"

/** Returns the file's URL. A PUT whose response was lost is repeated; the server then reports a completed upload. */
export const upload = Effect.fnUntraced(function* (uploading: Uploading) {
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
