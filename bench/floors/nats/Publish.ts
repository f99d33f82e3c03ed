/**
 * The floor of T13, submit: one client publishes two messages per request, a payload record and an event of our size, and awaits
 * each. No expectation, no id; streams configured as ours. Arguments: the NATS server's address, number in flight.
 */
import process from "node:process"
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { body } from "../../rows/T1Submit.ts"
import * as Work from "../../rows/log/Work.ts"
import * as Ids from "../Ids.ts"

/** Size of the message of `RequestSubmitted` in this row without headers, bytes. */
const eventBytes = 525

const [, , servers = "", inFlight] = process.argv
const connection = await connect({ servers })
const js = jetstream(connection)
const { streams } = await jetstreamManager(connection)
for (const name of ["payloads", "events"]) await streams.add({ name, subjects: [`${name}.>`] })

const event = Buffer.alloc(eventBytes, "x")

const submit = async () => {
  const id = Ids.next()
  await js.publish(`payloads.${id}`, body)
  await js.publish(`events.${id}`, event)
}

Work.serve((seconds) => Work.repeated({ inFlight: Number(inFlight), seconds }, submit))
