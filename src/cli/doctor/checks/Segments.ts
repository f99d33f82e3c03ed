/** The check of archived segments: reads one byte of each at its place. */
import { Effect } from "effect"
import { configured, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { SegmentSource } from "#streams/archive/SegmentSource.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Places from "#streams/sqlite/archive/Places.ts"
import * as Output from "#src/cli/Output.ts"
import * as Check from "../Check.ts"
import * as Place from "./Place.ts"

/** The newest ones, so that an archive of any size is looked at within the deadline. */
const mostRead = 200

export const check: Check.Check = {
  name: "archive",
  look: Effect.gen(function* () {
    if ((yield* eventStore.config)._tag === "Nats") return Check.skipped("A log on NATS has no archive")
    const directory = yield* configured
    if (Place.isClosed(directory)) return Check.skipped("DATA_DIR cannot be read: see data-directory")
    if (!holdsLog(directory)) return Check.skipped("There is no log yet")
    const places = [...(yield* Places.read(LogFiles.files(directory).log)).values()]
    if (places.length === 0) return Check.skipped("Nothing was archived")
    const source = yield* SegmentSource
    const read = places.slice(-mostRead)
    const reasons = yield* Effect.forEach(
      read,
      (place) =>
        Effect.match(source.read(place, { start: 0, length: 1 }), {
          onSuccess: () => [],
          onFailure: ({ message }) => [message]
        }),
      { concurrency: 8 }
    )
    const [first, ...others] = reasons.flat()
    if (first === undefined) {
      return Check.ok(
        `${Output.counted(read.length, "segment")} of ${Output.count(places.length)} can be reached. inferlog log verify reads all of them`
      )
    }
    return Check.failed(
      others.length === 0 ? first : `${first} (and ${Output.counted(others.length, "segment")} more)`,
      "Put the files back, or name the place they were moved to: inferlog log move-archive"
    )
  })
}
