/** Builds a segment in memory, frame by frame. */
import type { RecordedEvent } from "../RecordedEvent.ts"
import { maxSpan } from "./FrameSpan.ts"
import * as Segment from "./Segment.ts"

interface Built {
  readonly key: string
  readonly digest: string
  readonly index: Segment.Index
  readonly bytes: Buffer
}

export interface SegmentWriting {
  /** Events in the order of the log. */
  readonly add: (event: RecordedEvent) => void
  /** Characters of the lines so far. */
  readonly size: () => number
  /** Ends the segment. `null` when it has no event. */
  readonly build: (previous: string | null) => Built | null
}

export const make = (options: { readonly frameText?: number } = {}): SegmentWriting => {
  const { frameText = Segment.frameText } = options
  const parts: Array<Buffer> = []
  const frames: Array<Segment.Frame> = []
  let text = ""
  let size = 0
  let offset = 0
  let first = 0
  let last = 0
  let events = 0

  const close = () => {
    if (events === 0) return
    const bytes = Segment.compress(text)
    frames.push({ offset, length: bytes.length, digest: Segment.digestOf(bytes), first, last, events })
    parts.push(bytes)
    offset += bytes.length
    text = ""
    events = 0
  }

  return {
    add: (event) => {
      const position = Number(event.position)
      if (text.length >= frameText || position - first >= maxSpan) close()
      if (events === 0) first = position
      const line = Segment.lineOf(event)
      text += line
      size += line.length
      last = position
      events++
    },
    size: () => size,
    build: (previous) => {
      close()
      const [head] = frames
      if (head === undefined) return null
      const index: Segment.Index = {
        format: 1,
        previous,
        first: head.first,
        last,
        events: frames.reduce((sum, frame) => sum + frame.events, 0),
        frames
      }
      const bytes = Buffer.concat([...parts, Segment.encodeIndex(index)])
      const digest = Segment.digestOf(bytes)
      return { key: Segment.keyOf(index, digest), digest, index, bytes }
    }
  }
}
