/**
 * The floor of T13, catch-up: the client's ordered consumer with default settings, which parses no message. Arguments: the log's
 * address, number of events.
 */
import process from "node:process"
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { names } from "#streams/nats/NatsOptions.ts"
import * as Work from "../../rows/log/Work.ts"
import * as LogAddress from "../../rows/nats/LogAddress.ts"

/** Number of messages that the server sends ahead. */
const ahead = 1_000

const [, , address = "", events] = process.argv
const options = LogAddress.parse(address)
const { stream } = names(options).events

const connection = await connect({ servers: [...options.servers] })
const { state } = await (await jetstreamManager(connection)).streams.info(stream)

const readAll = async () => {
  const consumer = await jetstream(connection).consumers.get(stream)
  const read = Promise.withResolvers<void>()
  let messages = 0
  const consuming = await consumer.consume({
    max_messages: ahead,
    callback: () => {
      if (++messages === state.messages) read.resolve()
    }
  })
  await read.promise
  await consuming.close()
  return Number(events)
}

Work.serve(() => Work.timed(readAll))
