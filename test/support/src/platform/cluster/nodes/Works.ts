/** The requests of clients and their possible results, by the decisions on built-in models. */
import { randomFrom } from "#test/support/Load.ts"

export interface Work {
  /** `{owner}/{model}` */
  readonly endpoint: string
  readonly input: object
  readonly headers?: Readonly<Record<string, string>>
  /** Its client cancels it after it is accepted. */
  readonly isCancelled?: boolean
  /** Its possible ends. */
  readonly ends: ReadonlyArray<"COMPLETED" | "FAILED" | "CANCELLED">
  /** Charged when it completes, nano-USD. */
  readonly cost: bigint
}

const perRequest = 1_000_000n
const perSecond = 100_000n
const perImage = 2_000_000n

const echo = (input: object, more: Partial<Work> = {}): Work => ({
  endpoint: "sandbox/echo",
  input,
  ends: ["COMPLETED"],
  cost: perRequest,
  ...more
})

/** @param tenths of a second, less than an hour. */
export const slow = (tenths: number, more: Partial<Work> = {}): Work => ({
  endpoint: "sandbox/slow",
  input: { seconds: tenths / 10 },
  ends: ["COMPLETED"],
  // A charge that rounds to zero costs the smallest unit.
  cost: tenths === 0 ? 1n : (perSecond * BigInt(tenths)) / 10n,
  ...more
})

const endless = 36_000

/** A sequence of requests, equal for equal seeds. Most take a while, so that some always run. */
export const make = (seed: number) => {
  const random = randomFrom(seed)
  const kinds: ReadonlyArray<(serial: number) => Work> = [
    (serial) => echo({ value: { serial } }),
    (serial) => echo({ value: serial, delayMs: 100 + random(1_900) }),
    () => slow(2 + random(19)),
    () => slow(2 + random(19)),
    // Larger than payloads beside the log.
    (serial) => echo({ value: `${serial}`.padEnd(70_000, "x") }),
    () => ({
      endpoint: "sandbox/flaky",
      input: { failures: random(3) },
      ends: ["COMPLETED"],
      cost: perRequest
    }),
    () => ({ endpoint: "sandbox/fail", input: { delayMs: random(500) }, ends: ["FAILED"], cost: 0n }),
    () => ({ endpoint: "sandbox/provider-fail", input: {}, ends: ["COMPLETED"], cost: 0n }),
    () => ({
      endpoint: "sandbox/partial",
      input: { count: 3, deliver: 2 },
      ends: ["COMPLETED"],
      cost: 2n * perImage
    }),
    (serial) => ({
      endpoint: "sandbox/media",
      input: { width: 8 + (serial % 8), height: 8 },
      ends: ["COMPLETED"],
      cost: BigInt((8 + (serial % 8)) * 8)
    }),
    () => slow(endless, { isCancelled: true, ends: ["CANCELLED"] }),
    () => slow(endless, { headers: { "cancel-after": "1s" }, ends: ["CANCELLED"] }),
    (serial) =>
      echo({ value: serial, delayMs: random(40) }, { isCancelled: true, ends: ["COMPLETED", "CANCELLED"] })
  ]
  return (serial: number): Work => kinds[random(kinds.length)]?.(serial) ?? echo({ value: serial })
}
