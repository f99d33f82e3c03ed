/**
 * One `kill -9` of a real server under load, with proof of log and books. `test/system/src/KillAndRestart.test.ts` repeats it.
 *
 * @process a server is killed.
 */
import { describe, it } from "@effect/vitest"
import * as KilledServer from "#test/support/KilledServer.ts"

describe("kill -9, once", () => {
  it.live("loses no acknowledged request, and leaves a valid log and right books", () =>
    KilledServer.killed({ cycles: 1, clients: 4, maxAcknowledged: 20 })
  )
})
