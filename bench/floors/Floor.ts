/** Runs a floor, a program in this folder, as a subject's server. */
import { Effect, Schema } from "effect"
import { NodeFlags } from "../harness/NodeFlags.ts"
import * as Program from "../harness/Program.ts"

const Listening = Schema.Struct({ port: Schema.Int })

/** @param args of Node in the root of the checkout: the program and its arguments. */
export const serve = Effect.fnUntraced(function* (name: string, args: ReadonlyArray<string>) {
  const program = yield* Program.start({ name, args: [...(yield* NodeFlags), ...args], end: "stdin" })
  const { port } = yield* Program.document(program, Listening)
  return { port, pids: [program.pid] }
})
