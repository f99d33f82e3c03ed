/** The output of a request as it is made: chunks from the run, in order, until the request has ended. */
import { Context, type Effect } from "effect"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

export interface Chunk {
  /** For `Following.after`. Of printable ASCII characters. */
  readonly id: string
  /** JSON: a string of `text`, an item of `items`, the output so far of `last`, a chunk of OpenAI's API of `openai`. */
  readonly text: string
}

/** Where the output of one request goes. Its functions must neither wait nor throw. */
export interface OutputReader {
  /** False: no more until `ready`. The chunk was taken in any case. */
  readonly chunk: (chunk: Chunk) => boolean
  /** Earlier chunks do not count: their run was lost, and the output begins again. */
  readonly restart: () => void
  /** 0 to 1. */
  readonly progress: (fraction: number) => void
  /** Completes when the reader takes more. */
  readonly ready: Effect.Effect<void>
}

export interface Following {
  readonly snapshot: Snapshot
  /** The id of the last chunk that the client has; `null`: from the beginning. An unknown one leads to a restart. */
  readonly after: string | null
  readonly reader: OutputReader
}

export class LiveOutput extends Context.Service<
  LiveOutput,
  {
    /**
     * Hands every chunk to the reader, in order, and completes with the ended request when it has them all. Of a model without
     * `output.stream`, the whole output is one chunk. A request that ends without an output may have had chunks.
     */
    follow(following: Following): Effect.Effect<Snapshot, EventStoreError>
    /** How chunks of the request add up; `null` of a model without `output.stream`. */
    kindOf(snapshot: Snapshot): Effect.Effect<StreamKind | null>
  }
>()("inferlog/src/features/live-output/LiveOutput") {}
