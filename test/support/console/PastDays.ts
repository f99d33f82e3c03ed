/** What the account did on the days before, so that usage has more than one day. */
import { setTimeout as delay } from "node:timers/promises"
import type { FakeTime } from "#test/support/FakeTime.ts"
import { type Call, submit, until } from "./Calls.ts"

/** Requests of each day, from the oldest on. */
const days: ReadonlyArray<ReadonlyArray<readonly [model: string, input: unknown]>> = [
  [
    ["sandbox/echo", { value: "first light" }],
    ["sandbox/media", { width: 640, height: 480, color: "#1f5a46" }]
  ],
  [
    ["sandbox/echo", { value: ["a", "b"] }],
    ["sandbox/partial", { count: 5, deliver: 3 }],
    ["sandbox/echo", { value: 3 }]
  ],
  [["sandbox/provider-fail", { message: "Out of memory" }]],
  [
    ["sandbox/media", { width: 1200, height: 900, color: "#8fd0b5" }],
    ["sandbox/media", { width: 320, height: 200, color: "#a3261b" }],
    ["sandbox/stream", { text: "The tide comes in and goes out. ", count: 12, delayMs: 0 }],
    ["sandbox/echo", { value: { tide: "low" } }]
  ],
  [["sandbox/partial", { count: 4, deliver: 4 }]]
]

const ended = ["COMPLETED", "FAILED", "CANCELLED"]

/** Moves the server's clock from day to day, and leaves it a day before the present. */
export const live = async (call: Call, clock: FakeTime): Promise<void> => {
  for (const [index, requests] of days.entries()) {
    clock.set(`-${days.length - index}d`)
    // Processes look at the file at their next look at the clock.
    await delay(20)
    for (const [model, input] of requests) {
      const id = await submit(call, model, input, {
        "x-request-metadata": '{"customer":"c-17","order":"4711"}'
      })
      await until(call, id, ...ended)
    }
  }
}
