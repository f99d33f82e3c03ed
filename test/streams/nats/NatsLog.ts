/** A log of its own on a test's NATS servers: a prefix that nobody else has, and a node's directory. */
import * as crypto from "node:crypto"
import { Effect, Layer, Result } from "effect"
import * as JetStreamEventStore from "#streams/nats/JetStreamEventStore.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

export const prefix = (): string => `t${crypto.randomBytes(6).toString("hex")}`

/** @param url of the servers. */
export const options = (url: string, query = ""): NatsOptions.NatsOptions =>
  Result.getOrThrow(NatsOptions.parse(`${url}?prefix=${prefix()}&sync=always${query}`))

/** A node's log over a connection of its own, in a fresh directory. */
export const layer = (nats: NatsOptions.NatsOptions) =>
  TempDirectory.provide((directory) => JetStreamEventStore.layer({ nats, directory }))

/** Another log each time that it is built. */
export const fresh = (url: Effect.Effect<string>, query = "") =>
  Layer.fresh(Layer.unwrap(Effect.map(url, (url) => layer(options(url, query)))))
