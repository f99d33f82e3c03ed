/** Counts that require a pass over the whole log. */
import { Effect, Stream } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export const count = Effect.gen(function* () {
  const reader = yield* EventReader
  const countsCommits = yield* ChosenLog.countsCommits
  const types = new Map<string, number>()
  let streams = 0
  let events = 0
  let position = GlobalPosition.beginning
  let digest = EventChain.origin
  yield* Stream.runForEachArray(reader.readAll(GlobalPosition.beginning), (page) =>
    Effect.sync(() => {
      for (const { hash, ordinal, type } of page) {
        types.set(type, (types.get(type) ?? 0) + 1)
        if (ordinal === 0) streams++
        if (countsCommits) digest = EventChain.digest(digest, hash)
      }
      events += page.length
      position = page.at(-1)?.position ?? position
    })
  )
  return {
    counts: { streams, types: Object.fromEntries([...types].sort(([, a], [, b]) => b - a)) },
    /** On NATS, only this pass knows these values. */
    end: countsCommits ? { events, position, digest } : undefined
  }
})
