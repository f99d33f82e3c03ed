/** Opens an address in the browser of the person at this machine. */
import * as childProcess from "node:child_process"
import { Effect } from "effect"

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ReadonlyArray<string>]>>> = {
  darwin: ["open", []],
  // `start` would interpret the address.
  win32: ["rundll32", ["url.dll,FileProtocolHandler"]]
}

/** Fails silently: the address is printed too. */
export const open = (address: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [program, args] = openers[process.platform] ?? ["xdg-open", []]
    const child = childProcess.spawn(program, [...args, address], { detached: true, stdio: "ignore" })
    child.on("error", () => {})
    child.unref()
  })
