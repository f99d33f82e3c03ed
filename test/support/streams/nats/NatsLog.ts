/** A separate log on a test's NATS servers: a unique prefix and a node's directory. */
import * as crypto from "node:crypto"
import { type Context, Effect, Layer, Result, type Scope } from "effect"
import type { EventReader } from "#streams/EventReader.ts"
import type { EventStore } from "#streams/EventStore.ts"
import type { LogFailure } from "#streams/LogFailure.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as Payload from "#streams/Payload.ts"
import * as Verify from "#streams/Verify.ts"
import * as JetStreamEventStore from "#streams/nats/JetStreamEventStore.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import type { NatsUnreachable } from "#streams/nats/Nats.ts"
import type { NatsTooOld } from "#streams/nats/ServerVersion.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const prefix = (): string => `t${crypto.randomBytes(6).toString("hex")}`

/** @param url of the servers. */
export const options = (url: string, query = ""): NatsOptions.NatsOptions =>
  Result.getOrThrow(NatsOptions.parse(`${url}?prefix=${prefix()}&sync=always${query}`))

/** A node's log over its own connection, in a new directory. */
const layer = (nats: NatsOptions.NatsOptions) =>
  TempDirectory.provide((directory) => JetStreamEventStore.layer({ nats, directory }))

/** A new log each time it is built. */
export const fresh = (url: Effect.Effect<string>, query = "") =>
  Layer.fresh(Layer.unwrap(Effect.map(url, (url) => layer(options(url, query)))))

export type Log = EventStore | EventReader | LogFailure

/** A node's log until the scope closes, in a directory that the node may have used before. */
export const open = (
  nats: NatsOptions.NatsOptions,
  directory: string
): Effect.Effect<
  Context.Context<Log>,
  JetStreamEventStore.StartError | NatsUnreachable | NatsTooOld,
  Scope.Scope
> => Layer.build(Layer.fresh(JetStreamEventStore.layer({ nats, directory })))

/** Another node of the same log, with its own directory. */
export const openNode = (nats: NatsOptions.NatsOptions) =>
  Effect.flatMap(TempDirectory.make, (directory) => open(nats, directory))

/** Verifies the whole log as seen by a node. */
export const verify = (node: Context.Context<EventReader>) =>
  Verify.verify().pipe(
    Effect.provide(Payload.Payloads.layer.pipe(Layer.provideMerge(MemoryBlobStore.layer))),
    Effect.provideContext(node)
  )
