import { Result } from "effect"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"

/** Throws on what is no address of a log. */
export const parse = (address: string): NatsOptions.NatsOptions =>
  Result.getOrThrowWith(NatsOptions.parse(address), () => new Error(`expected ${NatsOptions.expected}`))
