/** How clients bring files (contract, "Uploads"), whatever the store and the transport. */
import { Context, type Effect } from "effect"
import type { Array } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Caller } from "#src/accounts/Caller.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type {
  AlreadyUploaded,
  FileForbidden,
  FileGone,
  FileNotFound,
  FileTooLarge,
  QuotaExceeded
} from "./FileErrors.ts"
import type { Part, PartsRefused, UploadedPart } from "./UploadStore.ts"

/** Name and type as the client gave them: they are cleaned. */
export interface Announced {
  readonly caller: Caller
  readonly fileName: string
  readonly contentType: string
  /** Bytes; `null` when the client does not say. What comes has to be as many, then. */
  readonly size: number | null
}

/** An upload in parts, by ids as a client gave them. */
export interface Named {
  readonly caller: Caller
  readonly uploadKey: string
  readonly uploadId: string
}

type Storage = EventStoreError | BlobStoreError | SqlError
type Unusable = FileNotFound | FileForbidden | FileGone | AlreadyUploaded

export interface Uploading {
  readonly fileUrl: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number | null
  /** In ascending order. */
  readonly parts: ReadonlyArray<UploadedPart>
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /** Durably announced when it returns. */
    initiate(
      announced: Announced
    ): Effect.Effect<
      { readonly uploadUrl: string; readonly fileUrl: string },
      FileTooLarge | QuotaExceeded | Storage
    >
    /** Durably announced when it returns. */
    initiateMultipart(
      announced: Announced
    ): Effect.Effect<
      { readonly fileUrl: string; readonly uploadId: string; readonly uploadKey: string },
      FileTooLarge | QuotaExceeded | Storage
    >
    /** @param partNumber 1 to `maxParts`. */
    partUrl(options: Named & { readonly partNumber: number }): Effect.Effect<string, Unusable | Storage>
    /** What has come so far, so that whoever was cut off goes on. */
    uploading(named: Named): Effect.Effect<Uploading, Unusable | Storage>
    /**
     * Makes a file of all parts, which may be named in any order. Gives its URL, durable and readable when it returns.
     * The part numbers are different from each other.
     */
    complete(
      options: Named & { readonly parts: Array.NonEmptyReadonlyArray<Part> }
    ): Effect.Effect<string, PartsRefused | QuotaExceeded | Unusable | Storage>
  }
>()("inferlog/src/files/Uploads") {}
