/** Our subject in T13, catch-up of a node. Arguments: the log's address, the number of its events, and names of projections. */
import process from "node:process"
import { Effect } from "effect"
import * as JetStreamEventReader from "#streams/nats/JetStreamEventReader.ts"
import * as Replaying from "../log/Replaying.ts"
import * as Work from "../log/Work.ts"
import * as LogAddress from "./LogAddress.ts"

const [, , address = "", events, ...names] = process.argv

const replay = Replaying.replay(names).pipe(
  Effect.provide(JetStreamEventReader.layer(LogAddress.parse(address)), { local: true }),
  Effect.as(Number(events))
)

Work.serve(() => Work.timed(() => Effect.runPromise(replay)))
