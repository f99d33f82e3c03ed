/**
 * Reads payload records by the page in the order in which they were appended, which is the order of the events that name
 * them. A pass over the log then does not look up each record.
 */
import type { SealedPayload } from "../SealedPayload.ts"
import type { StreamName } from "../StreamName.ts"
import { pageSize, type Reads, type StoredPayload } from "./Reads.ts"

/** The record if it is among the next ones. `undefined` means that it must be looked up. */
export type PayloadReadAhead = (stream: StreamName, name: string) => SealedPayload | undefined

/** The most records that a search skips. */
const maxSkipped = 16

export const make = (reads: Reads): PayloadReadAhead => {
  let page: ReadonlyArray<StoredPayload> = []
  let next = 0
  /** Sequence number of the record before `page[next]`. */
  let lastSequence = 0

  const refill = () => {
    page = reads.payloadPage(lastSequence)
    next = 0
  }

  return (stream, name) => {
    const isLast = page.length < pageSize
    if (next >= page.length || (!isLast && next + maxSkipped > page.length)) refill()
    for (let index = next; index < next + maxSkipped; index++) {
      const found = page[index]
      if (found === undefined) return undefined
      if (found.stream !== stream || found.payload.name !== name) continue
      next = index + 1
      lastSequence = found.sequence
      return found.payload
    }
    return undefined
  }
}
