/** Our subject in T6, replay. Arguments: the log's file, and names of projections. */
import process from "node:process"
import { Effect } from "effect"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as Replaying from "./Replaying.ts"
import * as Work from "./Work.ts"

const [, , filename = "", ...names] = process.argv

const replay = Effect.provide(Replaying.replay(names), SqliteEventReader.layer({ filename }), { local: true })

Work.serve(() => Work.timed(async () => Number(await Effect.runPromise(replay))))
