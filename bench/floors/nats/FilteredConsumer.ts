/**
 * The floor of T13, cold stream: the client's ordered consumer on the request's subject, until no message is pending.
 * Arguments: the log's address, number of requests.
 */
import process from "node:process"
import { jetstream } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { names } from "#streams/nats/NatsOptions.ts"
import * as Subjects from "#streams/nats/Subjects.ts"
import * as LogAddress from "../../rows/nats/LogAddress.ts"
import * as StreamReads from "../../rows/nats/StreamReads.ts"

const [, , address = "", requests] = process.argv
const options = LogAddress.parse(address)
const subjects = Subjects.make(options)
const js = jetstream(await connect({ servers: [...options.servers] }))

StreamReads.serve(Number(requests), async (stream) => {
  const consumer = await js.consumers.get(names(options).events.stream, {
    filter_subjects: subjects.events(stream)
  })
  const read = Promise.withResolvers<void>()
  const consuming = await consumer.consume({
    callback: ({ info }) => {
      if (info.pending === 0) read.resolve()
    }
  })
  await read.promise
  await consuming.close()
})
