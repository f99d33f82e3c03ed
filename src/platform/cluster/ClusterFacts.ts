/** Facts on which all nodes of a log on NATS agree, stored in a KV bucket for as long as the log. */
import * as crypto from "node:crypto"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsFailure from "#streams/nats/NatsFailure.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"
import * as NatsBucket from "./NatsBucket.ts"

/** This node's configuration differs from the other nodes': it would write data that they cannot read. */
export class ClusterMismatch extends Schema.TaggedError<ClusterMismatch>()("ClusterMismatch", {
  setting: Schema.Literals(["MASTER_KEY", "BLOB_STORE"])
}) {
  override get message(): string {
    switch (this.setting) {
      case "MASTER_KEY":
        return "MASTER_KEY: this is not the key of the other nodes of this log"
      case "BLOB_STORE":
        return "BLOB_STORE: this is not the store of the other nodes of this log; all need one that they share"
    }
  }
}

/** The fact does not have the expected revision, because another node has written it. */
export class FactConflict extends Schema.TaggedError<FactConflict>()("FactConflict", {
  key: Schema.String,
  expected: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    const what = this.expected === null ? "absent" : `at revision ${this.expected}`
    return `The fact ${this.key} was expected to be ${what}, but another node has written it`
  }
}

/** It is unknown whether the fact was written. */
export class ClusterFactsError extends Schema.TaggedError<ClusterFactsError>()("ClusterFactsError", {
  reason: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : "no reason given"
    return `${this.reason}: ${why}`
  }
}

export interface Fact {
  readonly value: Schema.Json
  /** Pass it to `putFact` to replace this value. */
  readonly revision: number
}

/** The longest wait for an answer of the servers, ms. */
const patienceMs = 3_000

/** How long a check waits for servers without a leader. */
const patience = { schedule: Schedule.spaced("500 millis"), times: 20 }

const factText = Schema.fromJsonString(Schema.Json)
const decode = Schema.decodeEffect(factText)
const encode = Schema.encodeEffect(factText)

/** The value on which all nodes agree: the stored one, or `first` unless another node writes earlier. */
const agreed = Effect.fnUntraced(
  function* <E>(key: string, first: Effect.Effect<string, E>) {
    const { getFact, putFact } = yield* ClusterFacts
    const found = yield* getFact(key)
    if (found !== null) return found.value
    const value = yield* first
    yield* putFact(key, value, null).pipe(Effect.catchTag("FactConflict", () => Effect.void))
    return (yield* getFact(key))?.value ?? null
  },
  (effect) => Effect.retry(effect, { ...patience, while: (error) => error instanceof ClusterFactsError })
)

const checkKey = Effect.fnUntraced(function* (fingerprint: string) {
  const known = yield* agreed("master-key", Effect.succeed(fingerprint))
  if (known !== fingerprint) return yield* new ClusterMismatch({ setting: "MASTER_KEY" })
})

const blobKey = (id: string) => `cluster/${id}`

const checkBlobs = Effect.gen(function* () {
  const blobs = yield* BlobStore
  const id = crypto.randomUUID()
  // The blob is written first: a crash in between leaves an unused blob, not a reference to a missing one.
  const first = Effect.as(blobs.put(blobKey(id), new TextEncoder().encode(id)), id)
  const known = yield* agreed("blob-store", first)
  if (known === id) return
  yield* Effect.ignore(blobs.remove(blobKey(id)))
  if (typeof known === "string" && (yield* blobs.size(blobKey(known))) !== null) return
  return yield* new ClusterMismatch({ setting: "BLOB_STORE" })
})

const decodeRelease = Schema.decodeUnknownEffect(DataFormat.DataRelease)
const encodeRelease = Schema.encodeEffect(DataFormat.DataRelease)

/** The highest format of the nodes' releases; raised by the first node of a newer one. */
const checkRelease = Effect.gen(function* () {
  const { getFact, putFact } = yield* ClusterFacts
  const found = yield* getFact("data-release")
  // Release 0.1.0 left no such fact.
  const known = found && (yield* Effect.orDie(decodeRelease(found.value)))
  if (known !== null) yield* DataFormat.check("EVENT_STORE", known)
  if (known?.format === DataFormat.dataFormat) return
  const ours = yield* Effect.orDie(encodeRelease(DataFormat.ours))
  yield* putFact("data-release", ours, found?.revision ?? null)
}).pipe(
  // A conflict: another node has raised it meanwhile.
  Effect.retry({
    ...patience,
    while: (error) => error instanceof ClusterFactsError || error instanceof FactConflict
  })
)

export class ClusterFacts extends Context.Service<
  ClusterFacts,
  {
    /** The latest value; `null` when there is none. */
    readonly getFact: (key: string) => Effect.Effect<Fact | null, ClusterFactsError>
    /** Writes the value if the fact is at `revision` (`null`: absent) and returns the new one. A repeat succeeds. */
    readonly putFact: (
      key: string,
      value: Schema.Json,
      revision: number | null
    ) => Effect.Effect<number, FactConflict | ClusterFactsError>
  }
>()("inferlog/src/platform/cluster/ClusterFacts") {
  static readonly layer = Layer.effect(
    ClusterFacts,
    Effect.gen(function* () {
      const { options } = yield* Nats
      const name = names(options).facts
      const { kv } = yield* NatsBucket.open({ name, ttlMs: null, storage: options.storage, patienceMs })

      const call = <A>(key: string, what: string, ask: () => Promise<A>) =>
        Effect.tryPromise({
          try: ask,
          catch: (cause) => new ClusterFactsError({ reason: `The fact ${key} cannot be ${what}`, cause })
        })

      const read = Effect.fnUntraced(function* (key: string) {
        const entry = yield* call(key, "read", () => kv.get(key))
        return entry?.operation === "PUT" ? { text: entry.string(), revision: entry.revision } : null
      })

      const getFact = Effect.fn("ClusterFacts.getFact")(function* (key: string) {
        const found = yield* read(key)
        return found && { value: yield* Effect.orDie(decode(found.text)), revision: found.revision }
      })

      const putFact = Effect.fn("ClusterFacts.putFact")(function* (
        key: string,
        value: Schema.Json,
        revision: number | null
      ) {
        const text = yield* Effect.orDie(encode(value))
        const put = call(key, "put", () =>
          revision === null ? kv.create(key, text) : kv.update(key, text, revision)
        )
        // An attempt that was given up may still have reached the servers.
        const recheck = Effect.fnUntraced(function* (error: ClusterFactsError) {
          const found = yield* read(key)
          if (found?.text === text) return found.revision
          const isConflict = NatsFailure.classify(error.cause) === "conflict"
          return yield* isConflict ? new FactConflict({ key, expected: revision }) : error
        })
        return yield* Effect.catch(put, recheck)
      })

      return ClusterFacts.of({ getFact, putFact })
    })
  )

  /**
   * Checks that this node can read the data of the other nodes, and that its master key, identified by its fingerprint,
   * and its blob store are theirs. The first node sets them. Waits some seconds for servers without a leader.
   */
  static readonly check = Effect.fn("ClusterFacts.check")(
    function* ({ fingerprint }: { readonly fingerprint: string }) {
      yield* checkRelease
      yield* checkKey(fingerprint)
      yield* checkBlobs
    },
    (effect) => Effect.provide(effect, ClusterFacts.layer)
  )

  /** Notes at the servers which releases can read the data that this one writes. Fails when it cannot read theirs. */
  static readonly raiseRelease = checkRelease
}
