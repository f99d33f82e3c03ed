/** NATS KV buckets of the nodes of one log. Reads go to the leader, never to a server that lags. */
import { DiscardPolicy, jetstream, RetentionPolicy, StorageType } from "@nats-io/jetstream"
import { type KV, Kvm } from "@nats-io/kv"
import { Effect } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsStreams from "#streams/nats/NatsStreams.ts"

export interface BucketOptions {
  readonly name: string
  /** ms after which the servers drop an entry; `null` for never. */
  readonly ttlMs: number | null
  readonly storage: "file" | "memory"
  /** The longest wait for an answer of the servers, ms. */
  readonly patienceMs: number
}

interface Bucket {
  readonly kv: KV
  /** Creates the bucket again when it is gone: a single server that restarts has lost what it stored in memory. */
  readonly restore: Effect.Effect<void, NatsStreams.NatsStreamMismatch | NatsStreams.NatsStreamUnavailable>
}

const nanosPerMs = 1_000_000

/** The first node creates the bucket, the others check it. Waits for servers that have no leader yet. */
export const open = Effect.fn("NatsBucket.open")(function* ({
  name,
  patienceMs,
  storage,
  ttlMs
}: BucketOptions) {
  const { connection, options } = yield* Nats
  const restore = NatsStreams.ensureOne({
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    storage: storage === "file" ? StorageType.File : StorageType.Memory,
    num_replicas: options.replicas,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_age: (ttlMs ?? 0) * nanosPerMs,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    allow_direct: false
  }).pipe(Effect.provideService(Nats, yield* Nats))
  yield* restore

  const manager = new Kvm(jetstream(connection, { timeout: patienceMs }))
  // Opening neither calls the servers nor fails.
  const kv = yield* Effect.promise(() => manager.open(name, { allow_direct: false }))
  const bucket: Bucket = { kv, restore }
  return bucket
})
