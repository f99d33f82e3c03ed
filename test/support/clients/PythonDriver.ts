/** Makes the calls of the behaviour table with the Python package, in a process that all cases share (`clients/python/tests`). */
import * as childProcess from "node:child_process"
import * as readline from "node:readline"
import type { Readable, Writable } from "node:stream"
import type { Driver, DriverCall, DriverClient, Played } from "./Driver.ts"
import * as Python from "./Python.ts"

export interface PythonDrivers {
  readonly drivers: ReadonlyArray<Driver>
  readonly close: () => Promise<void>
}

/** The sync and the async client. Their process begins with the first call. */
export const make = (): PythonDrivers => {
  const waiting = new Map<number, PromiseWithResolvers<Played>>()
  let next = 1
  let started: childProcess.ChildProcessByStdio<Writable, Readable, null> | undefined

  const failAll = (reason: string) => {
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }

  const start = () => {
    const child = childProcess.spawn(Python.command, ["-m", "inferlog_behaviour"], {
      env: { ...process.env, ...Python.environment },
      stdio: ["pipe", "pipe", "inherit"]
    })
    child.on("exit", (code) => failAll(`the Python driver ended with ${code}`))
    readline.createInterface({ input: child.stdout }).on("line", (line) => {
      // The driver's own format.
      const { id, ...played } = JSON.parse(line) as Played & { readonly id: number }
      waiting.get(id)?.resolve(played)
      waiting.delete(id)
    })
    return child
  }

  const play = (driver: string) => async (client: DriverClient, call: DriverCall, signal: AbortSignal) => {
    const child = (started ??= start())
    const id = next++
    const write = (line: unknown) => child.stdin.write(`${JSON.stringify(line)}\n`)
    const ended = Promise.withResolvers<Played>()
    waiting.set(id, ended)
    signal.addEventListener("abort", () => write({ abort: id }), { once: true })
    write({ id, driver, client, call })
    return ended.promise
  }

  const driverOf = (name: string, driver: string, aborts: boolean): Driver => ({
    name,
    aborts,
    play: play(driver)
  })

  return {
    drivers: [driverOf("Python", "sync", false), driverOf("Python async", "async", true)],
    close: async () => {
      if (started === undefined) return
      const exited = new Promise((resolve) => started?.once("exit", resolve))
      started.stdin.end()
      await exited
    }
  }
}
