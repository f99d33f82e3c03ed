import { Result } from "effect"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"

/** Parses the address of a log, or throws. */
export const parse = (address: string): NatsOptions.NatsOptions =>
  Result.getOrThrowWith(NatsOptions.parse(address), () => new Error(`expected ${NatsOptions.expected}`))
