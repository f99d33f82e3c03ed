/**
 * Sends the hostile inputs concurrently and repeatedly until the time is over and each was sent at least once. Prints the
 * answers by the name of the input. Arguments: port, key, milliseconds.
 */
import * as os from "node:os"
import { idle, inputs, type Target, type Answer } from "./Hostile.ts"

const [port, key = "", lasts] = process.argv.slice(2)
const target: Target = { host: "127.0.0.1", port: Number(port), key }

// In reality an attacker has its own machine. Here it must not take CPU time from the server and the probes.
os.setPriority(os.constants.priority.PRIORITY_LOW)

const concurrency = 8

const answers: Record<string, Array<Answer>> = {}
const until = performance.now() + Number(lasts)
const stopIdling = idle(target)
let turn = 0

const work = async () => {
  while (turn < inputs.length || performance.now() < until) {
    const found = inputs[turn++ % inputs.length]
    if (found === undefined) return
    const [name, , input] = found
    const answer = await input(target)
    answers[name] = [...(answers[name] ?? []), answer]
  }
}

await Promise.all(Array.from({ length: concurrency }, work))
stopIdling()
process.stdout.write(JSON.stringify(answers))
