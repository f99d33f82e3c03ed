/** Checks the version of the NATS server. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import type { NatsOptions } from "./NatsOptions.ts"

/** The server lacks a feature that a log needs, or has faults that would harm it. */
export class NatsTooOld extends Schema.TaggedError<NatsTooOld>()("NatsTooOld", {
  found: Schema.String,
  needed: Schema.String,
  replicas: Schema.Int
}) {
  override get message(): string {
    const what = this.replicas === 1 ? "A log" : `A log with ${this.replicas} replicas`
    return `${what} needs nats-server ${this.needed} or newer; this server is ${this.found}`
  }
}

const oldest = "2.10.0"

/** With older servers, several racing writers can win on a replicated stream, and chains can break when a leader dies. */
const oldestReplicated = "2.10.23"

const parts = (version: string): ReadonlyArray<number> =>
  (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number)

const isOlder = (found: string, needed: string): boolean => {
  const neededParts = parts(needed)
  const foundParts = parts(found)
  const index = neededParts.findIndex((part, index) => part !== (foundParts[index] ?? -1))
  return index !== -1 && (foundParts[index] ?? -1) < (neededParts[index] ?? 0)
}

/** Checks the connected server. The other servers of its cluster are assumed to be no older. */
export const check = (
  { info }: Pick<NatsConnection, "info">,
  { replicas }: Pick<NatsOptions, "replicas">
): Effect.Effect<void, NatsTooOld> => {
  const found = info?.version ?? "unknown"
  const needed = replicas === 1 ? oldest : oldestReplicated
  return isOlder(found, needed) ? Effect.fail(new NatsTooOld({ found, needed, replicas })) : Effect.void
}
