import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DataDirectoryLocked } from "#streams/DataLock.ts"
import { LogUnavailable } from "#streams/LogUnavailable.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

/** Another process that owns the directory. */
const owner = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = path.join(import.meta.dirname, "../../support/streams/sqlite/OwnedDirectory.ts")
      const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] })
      const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
      let acknowledged = 0
      const lines = readline.createInterface({ input: child.stdout })
      const enough = new Promise<void>((resolve, reject) => {
        lines.on("line", (line) => {
          acknowledged = Number(line.split(" ")[1])
          if (acknowledged >= 100) resolve()
        })
        child.once("exit", () => reject(new Error("the process ended before it was killed")))
      })
      return {
        /** Many events have been acknowledged. */
        busy: Effect.promise(() => enough),
        kill: Effect.promise(async () => {
          child.kill("SIGKILL")
          await closed
          return acknowledged
        })
      }
    }),
    ({ kill }) => kill
  )

describe("A data directory", () => {
  it.live("is owned by one process at a time", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const refused = yield* DataDirectory.own(
        directory,
        Effect.flip(DataDirectory.own(directory, Effect.void))
      )
      assert.instanceOf(refused, DataDirectoryLocked)
      yield* DataDirectory.own(directory, Effect.void)
    })
  )

  it.live("opens at once after a kill -9 of its owner, with every acknowledged event", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { busy, kill } = yield* owner(directory)
      yield* busy
      assert.instanceOf(yield* Effect.flip(DataDirectory.own(directory, Effect.void)), DataDirectoryLocked)
      const acknowledged = yield* kill
      const events = yield* DataDirectory.own(directory, DataDirectory.events)
      assert.isAtLeast(events.length, acknowledged)
      assert.strictEqual((yield* DataDirectory.verify(directory)).events, events.length)
    })
  )

  it.live("can be verified while another process writes to it", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { busy } = yield* owner(directory)
      yield* busy
      assert.isAtLeast((yield* DataDirectory.verify(directory)).events, 100)
    })
  )

  it.live("is refused, and not reported as locked, if it cannot be opened", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const missing = yield* Effect.flip(DataDirectory.own(`${directory}/missing`, Effect.void))
      assert.instanceOf(missing, LogUnavailable)
      fs.writeFileSync(`${directory}/log.sqlite`, "this is no database, but a text of some length")
      const other = yield* Effect.flip(DataDirectory.own(directory, Effect.void))
      assert.instanceOf(other, LogUnavailable)
    })
  )
})
