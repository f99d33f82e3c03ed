/** What the routes of an upload in parts are called with. */
import { Effect } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { FileNotFound } from "#src/features/media/storage/FileErrors.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"

export interface UploadCall {
  readonly caller: Caller
  readonly query: { readonly uploadKey: string; readonly uploadId: string }
}

/** A client that brings a file asks for an upload. */
export const asUpload = <A, E, R>(effect: Effect.Effect<A, E | FileNotFound, R>) =>
  Effect.catchTag(effect, "FileNotFound", () => Effect.fail(Refusal.unknownUpload))
