/** A floor as a subject's server: one of the programs of this folder. */
import { Effect, Schema } from "effect"
import * as Program from "../harness/Program.ts"

const Listening = Schema.Struct({ port: Schema.Int })

/** @param args for Node, from the root of the checkout: the program, then what it is told. */
export const serve = Effect.fnUntraced(function* (name: string, args: ReadonlyArray<string>) {
  const program = yield* Program.start({ name, args, end: "stdin" })
  const { port } = yield* Program.document(program, Listening)
  return { port, pids: [program.pid] }
})
