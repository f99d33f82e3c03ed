/** An event of a request's timeline, as the server tells it with its hashes and states. */
import type { AnswerOf } from "#console/api/Types.ts"

export type Entry = AnswerOf<"listRequestEvents">["data"][number]
export type State = NonNullable<Entry["state"]>

/** Unix time in ms. */
export const timeOf = ({ at }: Entry): number => Date.parse(at)

export const deliveryOf = ({ data }: Entry): string | null =>
  typeof data["deliveryId"] === "string" ? data["deliveryId"] : null

/** A field of the event as text; `null` without it. */
export const textOf = ({ data }: Entry, name: string): string | null => {
  const value = data[name]
  return typeof value === "string" || typeof value === "number" ? String(value) : null
}
