/** Keeps the chunks of live outputs for readers that come late, for readers on other nodes and across a restart. */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { RequestId } from "#domain/Ids.ts"

export class ChunkStoreError extends Schema.TaggedError<ChunkStoreError>()("ChunkStoreError", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    return "The store of live outputs cannot be used"
  }
}

/** Some consecutive chunks of one run. */
export interface Batch {
  readonly requestId: RequestId
  /** The name of the run's output. A request has one for each run, and another one when the run begins its output again. */
  readonly run: string
  /** The number of the first chunk in the run, from 1. */
  readonly first: number
  /** JSON without line breaks. May be empty in the last batch. */
  readonly texts: ReadonlyArray<string>
  /** Whether the run succeeded and these are its last chunks. */
  readonly isComplete: boolean
}

/** The last chunk that a reader has. */
export interface Place {
  readonly run: string
  readonly index: number
  /** Of the last page that was read of this run, so that what comes before it is not read again. */
  readonly cursor?: number | undefined
}

/** What a reader gets at a time. */
export interface Page extends Omit<Batch, "requestId"> {
  /** The store's number of the last batch in it. */
  readonly cursor: number
}

/** Kept for this long after they were stored, ms. */
export const keptMs = 2 * 60 * 60 * 1_000

/** A page has at least one batch and ends with the batch that exceeds this size, bytes. */
export const pageBytes = 256 * 1024

export class ChunkStore extends Context.Service<
  ChunkStore,
  {
    /** Batches of a run are written in order. Survives the end of this process when it returns. */
    write(batches: ReadonlyArray<Batch>): Effect.Effect<void, ChunkStoreError>
    /**
     * Chunks of the newest run: those after `place` if it is in this run, else from the beginning. `null` if there is nothing
     * more than the reader has.
     */
    read(requestId: RequestId, place: Place | null): Effect.Effect<Page | null, ChunkStoreError>
    /** Calls `onChange` when a node has stored chunks of the request. Never called where there is only this node. */
    watch(requestId: RequestId, onChange: () => void): Effect.Effect<void, never, Scope.Scope>
    /** Nothing of the request can be read when it returns. */
    remove(requestId: RequestId): Effect.Effect<void, ChunkStoreError>
  }
>()("inferlog/src/features/live-output/ChunkStore") {}
