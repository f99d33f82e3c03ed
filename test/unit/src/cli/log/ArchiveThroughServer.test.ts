/** `log archive` calls the server until nothing is left, and adds up what each call moved. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as ArchiveThroughServer from "#src/cli/log/ArchiveThroughServer.ts"

it.effect("goes on where the last call ended", () =>
  Effect.gen(function* () {
    const nexts = new Map<number, number | null>([
      [0, 40],
      [40, 70],
      [70, null]
    ])
    const archiveEvents: Administration["Service"]["archiveEvents"] = ({ after = -1, olderThanDays }) =>
      Effect.sync(() => {
        assert.strictEqual(olderThanDays, 90)
        const next = nexts.get(after)
        assert.isDefined(next)
        nexts.delete(after)
        return { segments: 1, events: 10, bytes: 100, next: next ?? null }
      })
    const total = yield* ArchiveThroughServer.run(90).pipe(
      Effect.provideService(Administration, { archiveEvents } as unknown as Administration["Service"])
    )
    assert.deepStrictEqual(total, { segments: 3, events: 30, bytes: 300 })
    assert.strictEqual(nexts.size, 0)
  })
)
