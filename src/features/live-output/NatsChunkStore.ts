/**
 * A JetStream stream of its own, for nodes that share a log: each batch is a message on the subject of its request. Servers drop
 * messages when they are old. A node that shows an output of another node subscribes to its subject.
 */
import { DiscardPolicy, jetstream, RetentionPolicy, StorageType, type StoredMsg } from "@nats-io/jetstream"
import { Effect, Layer, Schema } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { Nats } from "#streams/nats/Nats.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as NatsFailure from "#streams/nats/NatsFailure.ts"
import * as NatsStreams from "#streams/nats/NatsStreams.ts"
import * as StoredMessages from "#streams/nats/StoredMessages.ts"
import { type Batch, ChunkStore, ChunkStoreError, keptMs, pageBytes, type Place } from "./ChunkStore.ts"

const nanosPerMs = 1_000_000

/** Bytes of all outputs, which servers may reserve when the stream is made. The oldest are dropped first. */
const mostBytes = 256 * 1024 * 1024

const Head = Schema.fromJsonString(
  Schema.Struct({ run: Schema.String, first: Schema.Int, isComplete: Schema.Boolean })
)
const decodeHead = Schema.decodeUnknownSync(Head)

/** The head and each chunk are a line. */
const encode = ({ first, isComplete, run, texts }: Batch): string =>
  [JSON.stringify({ run, first, isComplete }), ...texts].join("\n")

const decode = ({ data }: Pick<StoredMsg, "data">): Omit<Batch, "requestId"> => {
  const [head, ...texts] = Buffer.from(data).toString().split("\n")
  return { ...decodeHead(head), texts }
}

const failed = (cause: unknown) => new ChunkStoreError({ cause })

const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { connection, jsm, options } = nats
  const { stream, subjects } = names(options).outputs
  yield* NatsStreams.ensureOne({
    name: stream,
    subjects: [`${subjects}.*`],
    storage: options.storage === "file" ? StorageType.File : StorageType.Memory,
    num_replicas: options.replicas,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: keptMs * nanosPerMs,
    max_bytes: mostBytes
  })
  const js = jetstream(connection, { timeout: 3_000 })
  const subjectOf = (requestId: RequestId) => `${subjects}.${requestId}`

  const stored = StoredMessages.make(nats, stream, "Chunks of outputs cannot be read")
  const get = (query: Parameters<typeof stored>[0]) => Effect.mapError(stored(query), failed)
  const attempt = <A>(call: () => Promise<A>) =>
    Effect.mapError(NatsFailure.attempt(nats, "Chunks of outputs cannot be stored", call), failed)

  /** All at once, so that the end of a run waits for one answer at most. The connection keeps their order. */
  const write = (batches: ReadonlyArray<Batch>) =>
    Effect.forEach(batches, (batch) => attempt(() => js.publish(subjectOf(batch.requestId), encode(batch))), {
      concurrency: "unbounded",
      discard: true
    })

  const read = Effect.fnUntraced(function* (requestId: RequestId, place: Place | null) {
    const last = yield* get({ last_by_subj: subjectOf(requestId) })
    if (last === null) return null
    const { isComplete, run, ...end } = decode(last)
    const { cursor = 0, index } = place?.run === run ? place : { index: 0 }
    const texts: Array<string> = []
    let [size, reached, sequence] = [0, index, cursor]
    while (sequence < last.seq && size < pageBytes) {
      const message = yield* get({ seq: sequence + 1, next_by_subj: subjectOf(requestId) })
      if (message === null) break
      const batch = decode(message)
      if (batch.run === run && batch.first > reached + 1) break
      sequence = message.seq
      const until = batch.first + batch.texts.length - 1
      if (batch.run !== run || until <= reached) continue
      texts.push(...batch.texts.slice(reached + 1 - batch.first))
      reached = until
      size += message.data.length
    }
    const hasAll = isComplete && reached === end.first + end.texts.length - 1
    return texts.length === 0 && !hasAll && place?.run === run
      ? null
      : { run, first: index + 1, texts, isComplete: hasAll, cursor: sequence }
  })

  return ChunkStore.of({
    write,
    read,
    watch: (requestId, onChange) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => connection.subscribe(subjectOf(requestId), { callback: onChange })),
          (subscription) => Effect.sync(() => subscription.unsubscribe())
        )
      ),
    remove: (requestId) =>
      Effect.asVoid(attempt(() => jsm.streams.purge(stream, { filter: subjectOf(requestId) })))
  })
})

export const layer = Layer.effect(ChunkStore, make)
