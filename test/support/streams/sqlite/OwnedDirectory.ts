/**
 * A process to be killed: owns the data directory in its argument and appends events one by one. Prints `acknowledged
 * <position>` after each.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as DataDirectory from "./DataDirectory.ts"

const directory = process.argv[2] ?? ""

const appendOne = Effect.flatMap(DataDirectory.append("a", "e", { text: "x".repeat(200) }), ({ position }) =>
  Effect.sync(() => fs.writeSync(1, `acknowledged ${position}\n`))
)

await Effect.runPromise(DataDirectory.own(directory, Effect.forever(appendOne)))
