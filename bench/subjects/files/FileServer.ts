/** A server that keeps files, as T10 uses it. */
import { Effect, Schema } from "effect"
import type * as TransferClient from "../../harness/TransferClient.ts"
import { BenchFailed } from "../../harness/Subject.ts"

export interface KeptFile {
  /** Of its URL. */
  readonly path: string
  /** Until nothing of it is on the disk. */
  readonly remove: Effect.Effect<void, BenchFailed>
}

export interface FileServer {
  readonly port: number
  readonly pids: ReadonlyArray<number>
  /** On the disk when it returns, with all that the server wants for it. */
  readonly upload: (
    client: TransferClient.TransferClient,
    bytes: number
  ) => Effect.Effect<KeptFile, BenchFailed>
}

/** Of every file. Nothing makes more of it. */
export const contentType = "application/octet-stream"

/** A small request of a client's. Fails when the answer has another status. */
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

/** The same where the answer is JSON. */
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
