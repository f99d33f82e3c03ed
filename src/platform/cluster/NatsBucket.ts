/** The buckets of NATS KV in which the nodes of one log agree. Read from their leaders, never from a server that lags. */
import { DiscardPolicy, jetstream, RetentionPolicy, StorageType } from "@nats-io/jetstream"
import { type KV, Kvm } from "@nats-io/kv"
import { Effect } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsStreams from "#streams/nats/NatsStreams.ts"

export interface BucketOptions {
  readonly name: string
  /** ms after which the servers drop what was put; `null` when they keep it. */
  readonly ttlMs: number | null
  readonly storage: "file" | "memory"
  /** ms that the servers have for an answer. */
  readonly patienceMs: number
}

interface Bucket {
  readonly kv: KV
  /** Makes it anew when it is gone: one server that starts again has forgotten what it kept in memory. */
  readonly restore: Effect.Effect<void, NatsStreams.NatsStreamMismatch | NatsStreams.NatsStreamUnavailable>
}

const nanosPerMs = 1_000_000

/** Made by the first node, checked by every other one; waits for servers that have no leader yet. */
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
  // Neither asks the servers anything nor fails.
  const kv = yield* Effect.promise(() => manager.open(name, { allow_direct: false }))
  const bucket: Bucket = { kv, restore }
  return bucket
})
