/**
 * A process to be killed: owns the data directory of its argument and appends one event after another. Says `acknowledged
 * <position>` on stdout for each, once it is.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as DataDirectory from "./DataDirectory.ts"

const directory = process.argv[2] ?? ""

const appendOne = Effect.flatMap(DataDirectory.append("a", "e", { text: "x".repeat(200) }), ({ position }) =>
  Effect.sync(() => fs.writeSync(1, `acknowledged ${position}\n`))
)

await Effect.runPromise(DataDirectory.own(directory, Effect.forever(appendOne)))
