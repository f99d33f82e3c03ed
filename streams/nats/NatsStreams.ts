/** The streams of the log at the servers. The first node creates them, every other node checks them. */
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  type StreamConfig,
  StorageType
} from "@nats-io/jetstream"
import { PermissionViolationError } from "@nats-io/transport-node"
import { Effect, Schedule, Schema } from "effect"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names, type NatsOptions } from "./NatsOptions.ts"
import * as Subjects from "./Subjects.ts"

/** An existing stream has another configuration than this log needs. */
export class NatsStreamMismatch extends Schema.TaggedError<NatsStreamMismatch>()("NatsStreamMismatch", {
  stream: Schema.String,
  field: Schema.String,
  found: Schema.String,
  wanted: Schema.String
}) {
  override get message(): string {
    return (
      `The stream ${this.stream} at the NATS servers has ${this.field} ${this.found}, and ${this.wanted} is needed: ` +
      `change EVENT_STORE, or the stream (nats stream edit ${this.stream})`
    )
  }
}

/** The servers cannot provide a stream, for the moment or permanently. */
export class NatsStreamUnavailable extends Schema.TaggedError<NatsStreamUnavailable>()(
  "NatsStreamUnavailable",
  { stream: Schema.String, cause: Schema.Defect() }
) {
  override get message(): string {
    return `The stream ${this.stream} cannot be used: ${NatsFailure.reasonOf(this.cause)}`
  }
}

/** Two minutes, in ns: longer than any publish is retried. */
const duplicateWindow = 120_000_000_000

/** Replicas without a cluster, and configurations that the server never accepts. */
const permanent = new Set([10025, 10052, 10065, 10074])

const isPermanent = (cause: unknown): boolean =>
  cause instanceof PermissionViolationError ||
  (cause instanceof JetStreamApiError && permanent.has(cause.code))

/** A cluster that has just started has no leader yet and may not know all of its servers. */
const startRetries = {
  schedule: Schedule.spaced("500 millis"),
  times: 60,
  while: ({ cause }: NatsStreamUnavailable) => !isPermanent(cause)
}

/** The stream does not exist. */
export const notFound = 10059

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, "name">

const common = ({ replicas, storage }: NatsOptions) => ({
  storage: storage === "file" ? StorageType.File : StorageType.Memory,
  num_replicas: replicas,
  retention: RetentionPolicy.Limits,
  // A full stream rejects new messages instead of dropping old ones.
  discard: DiscardPolicy.New,
  max_age: 0,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  duplicate_window: duplicateWindow
})

/** Nothing is deleted from the log: a gap in its sequence is damage. */
export const eventsConfig = (options: NatsOptions): Wanted => ({
  ...common(options),
  name: names(options).events.stream,
  subjects: [Subjects.make(options).allEvents],
  deny_delete: true,
  deny_purge: true
})

export const payloadsConfig = (options: NatsOptions): Wanted => {
  const { allErasures, allPayloads, allTaken } = Subjects.make(options)
  return {
    ...common(options),
    name: names(options).payloads.stream,
    subjects: [allPayloads, allErasures, allTaken],
    deny_delete: false
  }
}

/** Also detects settings that the server did not apply: older servers ignore unknown ones. */
export const compare = (
  wanted: Wanted,
  found: Partial<StreamConfig>
): Effect.Effect<void, NatsStreamMismatch> => {
  const text = (value: unknown) => JSON.stringify(value) ?? "none"
  const fields = new Map<string, unknown>(Object.entries(found))
  const differing = Object.entries(wanted).find(([field, value]) => text(fields.get(field)) !== text(value))
  if (differing === undefined) return Effect.void
  const [field, value] = differing
  return new NatsStreamMismatch({
    stream: wanted.name,
    field,
    found: text(fields.get(field)),
    wanted: text(value)
  })
}

/** Ensures that the stream exists with this configuration. */
export const ensureOne = Effect.fnUntraced(function* (wanted: Wanted) {
  const { jsm } = yield* Nats
  const unavailable = (cause: unknown) => new NatsStreamUnavailable({ stream: wanted.name, cause })
  const found = yield* Effect.tryPromise({
    try: () =>
      jsm.streams.info(wanted.name).catch((cause: unknown) => {
        if (cause instanceof JetStreamApiError && cause.code === notFound) return jsm.streams.add(wanted)
        throw cause
      }),
    catch: unavailable
  }).pipe(Effect.retry(startRetries))
  yield* compare(wanted, found.config)
  // A new stream exists before it has a leader.
  yield* Effect.tryPromise({
    try: () => jsm.streams.info(wanted.name),
    catch: unavailable
  }).pipe(
    Effect.filterOrFail(
      ({ cluster }) => wanted.num_replicas === 1 || (cluster?.leader ?? "") !== "",
      () => unavailable(new Error("it has no leader"))
    ),
    Effect.retry(startRetries)
  )
})

export const ensure = Effect.gen(function* () {
  const { options } = yield* Nats
  yield* ensureOne(payloadsConfig(options))
  yield* ensureOne(eventsConfig(options))
})
