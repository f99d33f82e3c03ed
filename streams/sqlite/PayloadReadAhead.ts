/**
 * Payload records in the order in which they were appended, which is the order of the events that name them: a pass over
 * the log reads them by the page instead of seeking each.
 */
import type { SealedPayload } from "../SealedPayload.ts"
import type { StreamName } from "../StreamName.ts"
import { pageSize, type Reads, type StoredPayload } from "./Reads.ts"

/** The record if it is the next one; else `undefined`, which says nothing: it is to be looked up. */
export type PayloadReadAhead = (stream: StreamName, name: string) => SealedPayload | undefined

/** Records that a search steps over: those that nobody asked for. */
const mostSteps = 16

export const make = (reads: Reads): PayloadReadAhead => {
  let page: ReadonlyArray<StoredPayload> = []
  let next = 0
  /** Of the record before `page[next]`. */
  let passed = 0

  const refill = () => {
    page = reads.payloadPage(passed)
    next = 0
  }

  return (stream, name) => {
    const isLast = page.length < pageSize
    if (next >= page.length || (!isLast && next + mostSteps > page.length)) refill()
    for (let index = next; index < next + mostSteps; index++) {
      const found = page[index]
      if (found === undefined) return undefined
      if (found.stream !== stream || found.payload.name !== name) continue
      next = index + 1
      passed = found.sequence
      return found.payload
    }
    return undefined
  }
}
