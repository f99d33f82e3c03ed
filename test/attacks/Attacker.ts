/**
 * Sends every hostile input, some at a time, again and again until the time is over and each was sent once at least. Prints
 * what came back, by the name of the input. Arguments: port, key, milliseconds.
 */
import * as os from "node:os"
import { idle, inputs, type Target, type Told } from "./Hostile.ts"

const [port, key = "", lasts] = process.argv.slice(2)
const target: Target = { host: "127.0.0.1", port: Number(port), key }

// It has what the server, and those who measure it, leave of the machine: elsewhere it has a machine of its own.
os.setPriority(os.constants.priority.PRIORITY_LOW)

const concurrency = 8

const told: Record<string, Array<Told>> = {}
const until = performance.now() + Number(lasts)
const stopIdling = idle(target)
let turn = 0

const work = async () => {
  while (turn < inputs.length || performance.now() < until) {
    const found = inputs[turn++ % inputs.length]
    if (found === undefined) return
    const [name, , input] = found
    const answer = await input(target)
    told[name] = [...(told[name] ?? []), answer]
  }
}

await Promise.all(Array.from({ length: concurrency }, work))
stopIdling()
process.stdout.write(JSON.stringify(told))
