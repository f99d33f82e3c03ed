/** Every phase of a file, as the events that lead there. */
import type { Event } from "#domain/file/Event.ts"
import * as Story from "./Story.ts"

type Events = ReadonlyArray<Event>

const pending: Events = [Story.initiated()]
const uploaded: Events = [...pending, Story.completed(2_000)]
const output: Events = [Story.outputStored()]
const pendingInParts: Events = [Story.initiated(Story.uploadInParts)]

/** Expires at 5 s. */
export const awaited = { pending, "pending in parts": pendingInParts } satisfies Record<string, Events>

/** Of a client; expires at 9 s. */
export const uploads = {
  uploaded,
  "uploaded in parts": [...pendingInParts, Story.completed(2_000, Story.bytes.inParts)],
  "uploaded, then replaced": [...uploaded, Story.replaced(3_000, Story.bytes.others)]
} satisfies Record<string, Events>

/** Of a run; expires at 9 s. */
export const outputs = {
  output,
  thumbnail: [Story.outputStored(Story.thumbnail)],
  "output, stored again": [
    ...output,
    Story.outputStored({ ...Story.output, at: 2_000, stored: Story.bytes.others })
  ]
} satisfies Record<string, Events>

/** Its bytes may not have been removed yet. */
export const gone = {
  "deleted before it was there": [Story.deleted(1_000, "discarded")],
  "deleted while pending": [...pending, Story.deleted(3_000), Story.nameErased(3_000)],
  "deleted upload": [...uploaded, Story.deleted(3_000), Story.nameErased(3_000)],
  "deleted output": [...output, Story.deleted(3_000, "request_erased")],
  "expired while pending": [...pending, Story.expired(5_000), Story.nameErased(5_000)],
  "expired upload": [...uploaded, Story.expired(9_000), Story.nameErased(9_000)],
  "expired output": [...output, Story.expired(9_000)]
} satisfies Record<string, Events>

const removed = {
  "removed before it was there": [...gone["deleted before it was there"], Story.bytesRemoved(9_500)],
  "removed upload": [...gone["deleted upload"], Story.bytesRemoved(9_500)],
  "removed output": [...gone["expired output"], Story.bytesRemoved(9_500)]
} satisfies Record<string, Events>

const never: Events = []

export const all = { "never there": never, ...awaited, ...uploads, ...outputs, ...gone, ...removed }
export type Phase = keyof typeof all
