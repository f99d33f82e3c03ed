/** Whether a caller may use a file that it names. */
import { Effect, Schema } from "effect"
import { accountOf, type State } from "#domain/file/State.ts"
import { FileId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { FileActors } from "#src/features/media/storage/FileActors.ts"
import { FileForbidden, FileNotFound } from "#src/features/media/storage/FileErrors.ts"

const isFileId = Schema.is(FileId)

/** As of the log, because another node may have changed it. */
export const find = Effect.fnUntraced(function* (
  actors: FileActors["Service"],
  { caller, id }: { readonly caller: Pick<Caller, "accountId">; readonly id: string }
) {
  if (!isFileId(id)) return yield* new FileNotFound()
  const { state } = yield* actors.refresh(id)
  const owner = accountOf(state)
  if (owner === null || state._tag === "None") return yield* new FileNotFound()
  if (owner !== caller.accountId) return yield* new FileForbidden()
  return { id, state: state satisfies Exclude<State, { readonly _tag: "None" }> }
})
