/** Our subject in T13, cold stream: reads the events of one request as an actor does that has none in memory. */
import process from "node:process"
import { ManagedRuntime } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as JetStreamEventReader from "#streams/nats/JetStreamEventReader.ts"
import * as LogAddress from "./LogAddress.ts"
import * as StreamReads from "./StreamReads.ts"

const [, , address = "", requests] = process.argv
const runtime = ManagedRuntime.make(JetStreamEventReader.layer(LogAddress.parse(address)))
const reader = await runtime.runPromise(EventReader)

StreamReads.serve(Number(requests), async (stream) => {
  const events = await runtime.runPromise(reader.read(stream))
  if (events.length === 0) throw new Error(`expected events of ${stream}`)
})
