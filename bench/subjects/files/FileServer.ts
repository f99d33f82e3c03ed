/** The port of T10 for servers that store files. */
import { Effect, Schema } from "effect"
import type * as TransferClient from "../../harness/TransferClient.ts"
import { BenchFailed } from "../../harness/Subject.ts"

export interface StoredFile {
  /** Path of the file's URL. */
  readonly path: string
  /** Removes the file from the disk. */
  readonly remove: Effect.Effect<void, BenchFailed>
}

export interface FileServer {
  readonly port: number
  readonly pids: ReadonlyArray<number>
  /** Uploads a file, which is on the disk on return, with all calls that the server requires. */
  readonly upload: (
    client: TransferClient.TransferClient,
    bytes: number
  ) => Effect.Effect<StoredFile, BenchFailed>
}

/** Content type of every file. No server treats it specially. */
export const contentType = "application/octet-stream"

/** Sends a small request. Fails if the answer has another status. */
export const ask = (url: string, status: number, init: RequestInit = {}) =>
  Effect.tryPromise({
    try: async () => {
      const answer = await fetch(url, init)
      const text = await answer.text()
      if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${text}`)
      return text
    },
    catch: (cause) => new BenchFailed({ reason: String(cause) })
  })

/** The same for a JSON answer. */
export const askJson = <S extends Schema.ConstraintDecoder<unknown>>(
  url: string,
  schema: S,
  init: RequestInit
) =>
  Effect.flatMap(ask(url, 200, init), (text) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
      Effect.mapError(() => new BenchFailed({ reason: `unexpected answer: ${text}` }))
    )
  )
