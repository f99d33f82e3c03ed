/** The parts of a node's report for operators. Times are Unix ms. Fields may be added, because nodes of two releases read them. */
import { Option, Schema } from "effect"
import type { HeardNode } from "#src/platform/cluster/NodeReports.ts"

const Count = Schema.Int

export const ModelRuns = Schema.Struct({
  model: Schema.String,
  /** Runs under way. */
  runs: Count,
  /** The node's part of the model's concurrency. */
  share: Count
})

export const ProjectionLag = Schema.Struct({
  name: Schema.String,
  /** Events that it has not applied, approximately; `null` before the first look. */
  behind: Schema.NullOr(Count)
})

export const Node = Schema.Struct({
  release: Schema.String,
  address: Schema.String,
  isServing: Schema.Boolean,
  /** Codes of `/health`. */
  reasons: Schema.Array(Schema.String),
  /** Since when each of them applies. Absent from older releases. */
  since: Schema.optionalKey(Schema.Array(Schema.Int)),
  runs: Count,
  models: Schema.Array(ModelRuns),
  projections: Schema.Array(ProjectionLag)
})

export const Worker = Schema.Struct({
  keyId: Schema.String,
  id: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  models: Schema.NullOr(Schema.Array(Schema.String)),
  waiting: Count,
  jobs: Count,
  lastPollAt: Schema.Int,
  lastCallAt: Schema.Int
})

export const Workers = Schema.Struct({
  /** Includes those that are left out of the list. */
  total: Count,
  list: Schema.Array(Worker)
})

export const Provider = Schema.Struct({
  name: Schema.String,
  circuit: Schema.Literals(["Closed", "HalfOpen", "Open"]),
  /** Since when no run, or one at a time, may begin. Absent from older releases. */
  heldSince: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** Failures since the last answer. */
  failures: Count,
  nextTryAt: Schema.NullOr(Schema.Int),
  pausedUntil: Schema.NullOr(Schema.Int),
  unreachable: Schema.NullOr(Schema.String),
  lastError: Schema.NullOr(
    Schema.Struct({ outcome: Schema.String, message: Schema.NullOr(Schema.String), at: Schema.Int })
  ),
  /** Runs under way. */
  runs: Count,
  hasCredential: Schema.Boolean
})

const Providers = Schema.Array(Provider)

/** Reads a part; `null` if the node did not report it, or its release reports it differently. */
const reader = <A>(part: string, schema: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return ({ parts }: HeardNode): A | null => Option.getOrNull(decode(parts[part]))
}

export const names = { node: "node", workers: "workers", providers: "providers" } as const

export const nodeOf = reader(names.node, Node)
export const workersOf = reader(names.workers, Workers)
export const providersOf = reader(names.providers, Providers)
