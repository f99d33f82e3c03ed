/** A server process on a given data directory, observed from outside. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

/** Killed with the scope. */
export const start = (dataDirectory: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () =>
      ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort(), env })
    ),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )

export interface SeenHealth {
  readonly status: number
  /** Codes of the reasons why the server is unhealthy. */
  readonly codes: ReadonlyArray<string>
}

export const health = async (url: string): Promise<SeenHealth> => {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) })
  const { details } = Object(await response.json())
  const reasons: ReadonlyArray<{ readonly code: string }> = details?.reasons ?? []
  return { status: response.status, codes: reasons.map(({ code }) => code) }
}

/** A full or slow disk takes its time. */
const patience = { limitMs: 60_000 }

/** Waits until the health is wanted, and returns it. */
export const until = (url: string, wanted: (seen: SeenHealth) => boolean): Promise<SeenHealth> =>
  Effect.runPromise(
    Until.polled(
      "the health",
      Effect.promise(() => health(url)),
      wanted,
      patience
    )
  )

/** A directory on its own small file system, or `null` if none can be mounted. Removed with the scope. */
export const smallDisk = Effect.fnUntraced(function* (size: string) {
  const directory = yield* TempDirectory.make
  const run = (command: string, ...args: ReadonlyArray<string>) =>
    childProcess.spawnSync(command, args, { stdio: "ignore" }).status === 0
  const isMounted = yield* Effect.acquireRelease(
    Effect.sync(() => run("mount", "-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", directory)),
    (isMounted) => Effect.sync(() => isMounted && run("umount", "-l", directory))
  )
  return isMounted ? directory : null
})

/** Fills the file system of the file. */
export const fill = (filename: string): void => {
  const file = fs.openSync(filename, "w")
  try {
    for (;;) fs.writeSync(file, Buffer.alloc(65_536))
  } catch (cause) {
    if (Object(cause).code !== "ENOSPC") throw cause
  } finally {
    fs.closeSync(file)
  }
}
