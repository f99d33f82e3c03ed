/** Our subject in T13, catch-up: reads all events of the log through an `EventReader`. Arguments: the log's address. */
import process from "node:process"
import { Effect, ManagedRuntime, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as JetStreamEventReader from "#streams/nats/JetStreamEventReader.ts"
import * as Work from "../log/Work.ts"
import * as LogAddress from "./LogAddress.ts"

const runtime = ManagedRuntime.make(JetStreamEventReader.layer(LogAddress.parse(String(process.argv[2]))))
const reader = await runtime.runPromise(EventReader)

const readAll = Effect.suspend(() => {
  let events = 0
  return reader.readAll(GlobalPosition.beginning).pipe(
    Stream.chunks,
    Stream.runForEach((page) => Effect.sync(() => void (events += page.length))),
    Effect.map(() => events)
  )
})

Work.serve(() => Work.timed(() => runtime.runPromise(readAll)))
