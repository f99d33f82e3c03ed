/** `log archive` through a running server, here or elsewhere. */
import { Effect } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"

/** Calls until there is no more to archive; each call writes at most one segment. */
export const run = Effect.fn("ArchiveThroughServer.run")(function* (olderThanDays: number) {
  const { archiveEvents } = yield* Administration
  let total = { segments: 0, events: 0, bytes: 0 }
  let after: number | null = 0
  while (after !== null) {
    const done: Effect.Success<ReturnType<typeof archiveEvents>> = yield* archiveEvents({
      olderThanDays,
      after
    })
    const { bytes, events, next, segments } = done
    total = {
      segments: total.segments + segments,
      events: total.events + events,
      bytes: total.bytes + bytes
    }
    after = next
  }
  return total
})
